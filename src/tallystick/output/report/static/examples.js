(() => {
  const { data, make, plain } = tallystick;
  const find = (names, written) => names.find((name) => tallystick.escape(name || "") === (written || ""));
  const tracks = data.evidence.filter((one) => one.examples);
  if (!tracks.length) return;
  const form = document.getElementById("filters");
  const list = document.getElementById("example-list");
  const told = document.getElementById("shown");
  const more = document.getElementById("more");
  const PAGE = 20, LONG = 400;
  let track = tracks[0], found = [], shown = 0;

  // The form: a choice for each thing that examples can be filtered by.
  const choose = (name, label, values, all) => {
    const select = make("select", { name, "aria-label": label || name });
    if (all !== undefined) select.append(make("option", { value: "" }, all));
    for (const [value, text] of values) select.append(make("option", { value }, text));
    form.append(make("label", {}, label + " ", select), " ");
  };
  const count = (number) => number.toLocaleString("en");
  const build = () => {
    const { systems, examples, confusions, kind } = track;
    const kept = form.elements.search ? form.elements.search.value : "";
    form.replaceChildren();
    const names = systems.map((name, place) => [place, plain(name)]);
    if (tracks.length > 1) choose("track", "track", tracks.map((one, place) => [place, plain(one.track)]));
    if (tracks.length > 1) form.elements.track.value = tracks.indexOf(track);
    choose("a", "system", names);
    const relations = systems.length > 1
      ? [["better", "better than"], ["worse", "worse than"], ["differs", "other than"]] : [];
    if (kind === "labels") relations.push(["right", "is right"], ["wrong", "is wrong"]);
    if (relations.length) choose("relation", "", relations, "(any)");
    if (systems.length > 1) {
      choose("b", "", names);
      form.elements.b.setAttribute("aria-label", "other system");
      form.elements.b.value = 1;
    }
    const values = (column) => [...new Set(column)].sort().map((value) => [value, plain(value)]);
    if (examples.groups) choose("group", "group", values(examples.groups), "(all)");
    if (kind === "labels" && confusions.length) {
      choose("gold", "gold", values(confusions[0].labels), "(all)");
      choose("predicted", "predicted", values(confusions[0].labels), "(all)");
    }
    choose("order", "order", [["", "as in the data"], ["gap", "largest difference"], ["low", "worst first"], ["high", "best first"]]);
    form.append(make("label", {}, "text ", make("input", { name: "search", type: "search" })));
    form.elements.search.value = kept;
    if (kind === "texts" && examples.gold.some(Boolean)) {
      form.append(make("label", {}, make("input", { name: "missing", type: "checkbox" }), " missing words of the gold"));
    }
  };
  const value = (name) => (form.elements[name] ? form.elements[name].value : "");

  // The text of each example in lower case, made when it is first searched.
  const searchable = new Map();
  const texts = () => {
    if (!searchable.has(track)) {
      const { ids, gold, outputs, texts: inputs } = track.examples;
      searchable.set(track, ids.map((id, at) =>
        [id, inputs && inputs[at], gold[at], ...outputs.map((own) => own[at])].join("\n").toLowerCase()));
    }
    return searchable.get(track);
  };

  const filter = () => {
    const { ids, groups, gold, outputs, scores } = track.examples;
    const a = Number(value("a")), b = Number(value("b") || 0);
    const sign = track.better === "lower" ? -1 : 1;
    const gap = (at) => sign * (scores[a][at] - scores[b][at]);
    const tests = [];
    const relation = value("relation");
    if (relation === "better") tests.push((at) => gap(at) > 0);
    if (relation === "worse") tests.push((at) => gap(at) < 0);
    if (relation === "differs") tests.push((at) => outputs[a][at] !== outputs[b][at]);
    if (relation === "right") tests.push((at) => scores[a][at] === 1);
    if (relation === "wrong") tests.push((at) => scores[a][at] === 0);
    if (value("group")) tests.push((at) => groups[at] === value("group"));
    if (value("gold")) tests.push((at) => gold[at] === value("gold"));
    if (value("predicted")) tests.push((at) => outputs[a][at] === value("predicted"));
    const words = value("search").toLowerCase();
    if (words) {
      const all = texts();
      tests.push((at) => all[at].includes(words));
    }
    found = ids.map((_, at) => at).filter((at) => tests.every((test) => test(at)));
    const order = value("order");
    const key = { gap: (at) => -Math.abs(gap(at)), low: (at) => sign * scores[a][at], high: (at) => -sign * scores[a][at] }[order];
    if (key) found.sort((one, other) => key(one) - key(other) || one - other);
    tell(a, b, relation);
    shown = 0;
    list.replaceChildren();
    showMore();
  };

  // How many there are, here and in all.
  const tell = (a, b, relation) => {
    const { systems, examples, meetings, total, confusions } = track;
    let words = `${count(found.length)} of the ${count(examples.ids.length)} examples in this page.`;
    const pair = meetings.find((one) => [one.a, one.b].sort().join("\n") === [systems[a], systems[b]].sort().join("\n"));
    const alone = !value("group") && !value("search");
    if (pair && alone && !value("gold") && !value("predicted") && (relation === "better" || relation === "worse")) {
      const ahead = (pair.a === systems[a]) === (relation === "better") ? pair.a_better : pair.b_better;
      words += ` ${plain(systems[a])} is ${relation} than ${plain(systems[b])} on ${count(ahead)} of all ${count(total)}.`;
    }
    const matrix = confusions.find((one) => one.system === systems[a]);
    if (matrix && alone && !relation && value("gold") && value("predicted")) {
      const cell = matrix.counts[matrix.labels.indexOf(value("gold"))][matrix.labels.indexOf(value("predicted"))];
      words += ` There are ${count(cell)} of them in all.`;
    }
    told.textContent = words;
  };

  // Words of an output that its reference lacks, and the other way round, by the longest common
  // subsequence; texts without spaces are parted as their language parts them.
  const segmenter = globalThis.Intl && Intl.Segmenter ? new Intl.Segmenter(undefined, { granularity: "word" }) : null;
  const split = (text) => {
    const parts = segmenter ? [...segmenter.segment(text)].map((one) => one.segment) : text.split(/(\s+)/);
    const words = [];
    for (const part of parts) {
      if (words.length && !part.trim()) words[words.length - 1] += part;
      else words.push(part);
    }
    return words;
  };
  const same = (one, other) => one.trim() === other.trim();
  const compare = (reference, output) => {
    const one = split(reference), other = split(output);
    if (one.length * other.length > 1e6) return null;
    const width = other.length + 1;
    const lengths = new Uint32Array((one.length + 1) * width);
    for (let i = one.length - 1; i >= 0; i--) {
      for (let j = other.length - 1; j >= 0; j--) {
        lengths[i * width + j] = same(one[i], other[j]) ? lengths[(i + 1) * width + j + 1] + 1
          : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
      }
    }
    const parts = [];
    const add = (kind, text) => {
      const last = parts.at(-1);
      if (last && last[0] === kind) last[1] += text;
      else parts.push([kind, text]);
    };
    let i = 0, j = 0;
    while (i < one.length || j < other.length) {
      if (i < one.length && j < other.length && same(one[i], other[j])) { add("", other[j]); i++; j++; }
      else if (j >= other.length || (i < one.length && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) add("del", one[i++]);
      else add("ins", other[j++]);
    }
    return parts;
  };
  const differ = (reference, output) => {
    const parts = compare(reference, output);
    if (!parts) return [plain(output)];
    const kept = form.elements.missing.checked ? parts : parts.filter(([kind]) => kind !== "del");
    return kept.map(([kind, text]) => (kind ? make(kind, {}, plain(text)) : plain(text)));
  };

  const fold = (text, children) => {
    const box = make("span", { class: "text" }, ...children);
    if (text.length <= LONG) return [box];
    box.classList.add("folded");
    const button = make("button", { type: "button", "aria-expanded": "false" }, `Show all ${count(text.length)} characters`);
    button.addEventListener("click", () => {
      const folded = box.classList.toggle("folded");
      button.setAttribute("aria-expanded", String(!folded));
      button.textContent = folded ? `Show all ${count(text.length)} characters` : "Show less";
    });
    return [box, button];
  };

  // Labels are rows of a table, texts are cards.
  const mark = (place, at) => (track.examples.scores[place][at] ? "right" : "wrong");
  const row = (at) => {
    const { ids, groups, texts: inputs, gold, outputs } = track.examples;
    const cell = (text, attributes = {}) => make("td", { class: "name", ...attributes }, make("bdi", {}, plain(text)));
    const cells = [make("th", { scope: "row", class: "name" }, make("bdi", {}, plain(ids[at])))];
    if (groups) cells.push(cell(groups[at]));
    if (inputs) cells.push(make("td", { class: "name input", dir: "auto" }, ...fold(inputs[at] || "", [plain(inputs[at] || "")])));
    cells.push(cell(gold[at]));
    for (const place of track.systems.keys()) cells.push(cell(outputs[place][at], { class: `name ${mark(place, at)}` }));
    return make("tr", {}, ...cells);
  };
  const table = () => {
    const { groups, texts: inputs } = track.examples;
    const names = ["example", ...(groups ? ["group"] : []), ...(inputs ? ["input"] : []), "gold", ...track.systems];
    const heads = names.map((name) => make("th", { scope: "col", class: "name" }, make("bdi", {}, plain(name))));
    const body = make("tbody");
    list.append(make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Examples" },
      make("table", { class: "rows" }, make("thead", {}, make("tr", {}, ...heads)), body)));
    return body;
  };
  const card = (at) => {
    const { ids, groups, texts: inputs, gold, outputs, scores } = track.examples;
    const pairs = make("dl");
    const add = (name, text, children, score = null) => {
      const term = make("dt", {}, make("bdi", {}, plain(name)));
      if (score !== null) term.append(" ", make("small", {}, String(Number(score.toPrecision(4)))));
      pairs.append(term, make("dd", { dir: "auto" }, ...fold(text, children)));
    };
    if (inputs && inputs[at] !== null) add("input", inputs[at], [plain(inputs[at])]);
    const golden = gold.some(Boolean); // tries have none but whether they are right
    if (golden) add("gold", gold[at], [plain(gold[at])]);
    const places = [...track.systems.keys()];
    const chosen = places.length > 4 ? [...new Set([Number(value("a")), Number(value("b"))])] : places;
    const rest = places.filter((place) => !chosen.includes(place));
    const write = (place) => {
      const output = outputs[place][at];
      const shown = golden ? differ(gold[at].split(" ||| ")[0], output) : [plain(output)];
      add(track.systems[place], output, shown, scores[place][at]);
    };
    chosen.forEach(write);
    const group = groups ? [" ", make("small", {}, make("bdi", {}, plain(groups[at])))] : [];
    const shownCard = make("article", { class: "example" }, make("h3", {}, make("bdi", {}, plain(ids[at])), ...group), pairs);
    if (rest.length) {
      const button = make("button", { type: "button" }, `Show ${rest.length} more systems`);
      button.addEventListener("click", () => { rest.forEach(write); button.remove(); });
      shownCard.append(button);
    }
    return shownCard;
  };
  const showMore = () => {
    const labels = track.kind === "labels";
    const target = labels ? list.querySelector("tbody") || table() : list;
    target.append(...found.slice(shown, shown + PAGE).map(labels ? row : card));
    shown = Math.min(found.length, shown + PAGE);
    more.hidden = shown >= found.length;
    more.textContent = `Show more (${count(found.length - shown)} left)`;
  };

  const chooseTrack = (cell) => {
    const name = find(tracks.map((one) => one.track), cell.closest("table").dataset.track);
    return tracks.find((one) => one.track === name) || tracks[0];
  };
  const open = (wantedTrack, wanted) => {
    track = wantedTrack;
    build();
    for (const [field, chosen] of Object.entries(wanted)) {
      if (form.elements[field]) form.elements[field].value = chosen;
    }
    filter();
    document.getElementById("examples").scrollIntoView();
  };
  const press = (cell, label, act) => {
    const button = make("button", { type: "button", title: label }, ...cell.childNodes);
    button.addEventListener("click", act);
    cell.replaceChildren(button);
  };
  for (const cell of document.querySelectorAll("td[data-a]")) {
    const found = chooseTrack(cell);
    press(cell, cell.title, () => {
      const { systems } = found, place = (written) => systems.indexOf(find(systems, written));
      open(found, { a: place(cell.dataset.a), b: place(cell.dataset.b), relation: "differs", order: "gap" });
    });
  }
  for (const cell of document.querySelectorAll("td[data-gold]")) {
    const found = chooseTrack(cell), labels = found.confusions.length ? found.confusions[0].labels : [];
    press(cell, cell.title, () => {
      const system = find(found.systems, cell.closest("table").dataset.system);
      const [gold, predicted] = [cell.dataset.gold, cell.dataset.predicted].map((one) => find(labels, one));
      open(found, { a: found.systems.indexOf(system), gold, predicted });
    });
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    if (event.target.name === "track") {
      track = tracks[Number(event.target.value)];
      build();
    }
    filter();
  });
  more.addEventListener("click", showMore);
  build();
  filter();
})();
