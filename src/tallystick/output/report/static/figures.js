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
      if (mark.type === "text") mark.clip = false;  // words are next to the plot
      if (at !== place) return { ...one, mark };
      const encodings = isNumber(one.encoding.y) ? ["x", "y"] : ["x"];
      const select = { type: "interval", encodings, zoom: "wheel![event.shiftKey]" };
      return { ...one, mark, params: [...(one.params || []), { name: "zoom", select, bind: "scales" }] };
    });
    return { ...spec, layer };
  };
  const WIDE = 400;  // figures as wide as this fill the page
  const embed = async (target, spec) => {
    const config = { ...data.themes[dark.matches ? "dark" : "light"] };
    config.background = "transparent";
    if (spec.width >= WIDE) spec = { ...spec, width: "container" };
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
    figure.append(target);
    const shown = await embed(target, spec);
    figure.querySelector("picture").remove();
    dark.addEventListener("change", () => embed(target, spec));
    return shown;
  };

  // One menu for the specifications with their data: to read, to change and to draw again.
  const editor = document.getElementById("figure-editor");
  const figures = [...document.querySelectorAll("[data-figure]")];
  if (editor && figures.length) {
    const [choice, button, status, area] = ["select", "button", "span", "textarea"].map((one) =>
      editor.querySelector(one));
    for (const one of figures) {
      choice.append(make("option", { value: one.dataset.figure }, `${one.querySelector("img").alt} (${one.dataset.figure})`));
    }
    const fill = () => {
      area.value = JSON.stringify(data.figures[choice.value], null, 1);
      status.textContent = "";
    };
    choice.addEventListener("change", fill);
    editor.addEventListener("toggle", () => area.value || fill());
    button.addEventListener("click", async () => {
      const figure = figures.find((one) => one.dataset.figure === choice.value);
      try {
        if (!figure.querySelector(".drawn")) await draw(figure);
        await embed(figure.querySelector(".drawn"), JSON.parse(area.value));
        figure.scrollIntoView();
      } catch (error) {
        status.textContent = error.message;
      }
    });
    editor.hidden = false;
  }

  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((one) => one.isIntersecting)) {
      seen.unobserve(entry.target);
      draw(entry.target);
    }
  }, { rootMargin: "200px" });
  for (const figure of figures) seen.observe(figure);
})();
