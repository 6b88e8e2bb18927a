(() => {
  const { data, make } = tallystick;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  // Expressions are interpreted, not compiled, which the page's policy would refuse.
  const options = {
    actions: false, ast: true, defaultStyle: false, renderer: "svg", logLevel: 1,
    tooltip: { disableDefaultStyle: true },
  };
  // Dragging moves the scales of numbers, the wheel with Shift zooms, a double click goes back; marks
  // tell their data when they are pointed at.
  const isNumber = (channel) => channel?.type === "quantitative";
  const interact = (spec) => {
    if (!spec.layer) return spec;
    const place = spec.layer.findIndex((one) => !one.data && isNumber(one.encoding?.x));
    const layer = spec.layer.map((one, at) => {
      const mark = { ...(one.mark.type ? one.mark : { type: one.mark }), tooltip: { content: "data" } };
      if (at !== place) return { ...one, mark };
      const encodings = isNumber(one.encoding.y) ? ["x", "y"] : ["x"];
      const select = { type: "interval", encodings, zoom: "wheel![event.shiftKey]" };
      return { ...one, mark, params: [...(one.params || []), { name: "zoom", select, bind: "scales" }] };
    });
    return { ...spec, layer };
  };
  const embed = async (target, spec) => {
    const config = { ...data.themes[dark.matches ? "dark" : "light"] };
    config.background = "transparent";
    const shown = await vegaEmbed(target, { ...interact(spec), config }, options);
    // The whole is one picture, whose name is its caption; its marks have none.
    for (const part of target.querySelectorAll("[role]")) {
      part.removeAttribute("role");
      part.removeAttribute("aria-roledescription");
      part.removeAttribute("aria-label");
    }
    return shown;
  };

  // The picture gives way to the figure once that is drawn, when it comes into view.
  const draw = async (figure) => {
    const label = figure.querySelector("img").alt;
    const target = make("div", { class: "drawn", role: "img", "aria-label": label });
    const spec = data.figures[figure.dataset.figure];
    const shown = await embed(target, spec);
    figure.querySelector("picture").replaceWith(target);
    figure.append(edit(spec, target));
    dark.addEventListener("change", () => embed(target, spec));
    return shown;
  };

  // The specification with its data: to read, to change and to draw anew.
  const edit = (spec, target) => {
    const area = make("textarea", { rows: 14, spellcheck: "false", "aria-label": "Vega-Lite specification" });
    const button = make("button", { type: "button" }, "Draw");
    const told = make("span", { role: "status", class: "small" });
    button.addEventListener("click", async () => {
      try {
        await embed(target, JSON.parse(area.value));
        told.textContent = "";
      } catch (error) {
        told.textContent = " " + error.message;
      }
    });
    const folded = make("details", {}, make("summary", {}, "Vega-Lite specification"), area, button, told);
    folded.addEventListener("toggle", () => {
      area.value ||= JSON.stringify(spec, null, 1);
    });
    return folded;
  };

  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((one) => one.isIntersecting)) {
      seen.unobserve(entry.target);
      draw(entry.target);
    }
  }, { rootMargin: "200px" });
  for (const figure of document.querySelectorAll("[data-figure]")) seen.observe(figure);
})();
