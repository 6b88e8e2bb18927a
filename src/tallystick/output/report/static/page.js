"use strict";
const tallystick = {
  data: JSON.parse(document.getElementById("tallystick-report").textContent),

  // An element with attributes and children; text is only ever set as text.
  make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children);
    return element;
  },

  // Control and format characters are written as escapes, as Python writes them in the page.
  controls: /(?<![^\x00-\u02ff])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\u02ff])|[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0001}-\u{e007f}]/gu,
  escape(text) {
    const named = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };
    return text.replace(this.controls, (mark) => {
      const code = mark.codePointAt(0);
      const [lead, digits] = code < 256 ? ["x", 2] : code < 65536 ? ["u", 4] : ["U", 8];
      return named[mark] || "\\" + lead + code.toString(16).padStart(digits, "0");
    });
  },

  // The same of texts, which keep their lines.
  plain(text) {
    return text.split("\n").map((line) => tallystick.escape(line)).join("\n");
  },
};

(() => {
  document.documentElement.classList.add("script");

  // The names of the sections, for those that are there.
  const nav = document.getElementById("sections");
  for (const section of document.querySelectorAll("main > section")) {
    const title = section.querySelector("h2").textContent;
    nav.append(tallystick.make("a", { href: "#" + section.id }, title), " ");
  }

  // A table is sorted by a column when its heading is pressed; undefined values come last.
  const sortBy = (table, place, numeric, direction) => {
    const key = (row) => {
      const cell = row.cells[place];
      if (!numeric) return cell.textContent;
      return cell.dataset.value ? Number(cell.dataset.value) : NaN;
    };
    const rows = [...table.tBodies[0].rows].map((row) => [key(row), row]);
    rows.sort(([a], [b]) => {
      if (!numeric) return direction * a.localeCompare(b);
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
      return direction * (a - b);
    });
    table.tBodies[0].append(...rows.map(([, row]) => row));
    table.classList.add("sorted");
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const headings = table.tHead.rows[0].cells;
    const rows = [...table.tBodies[0].rows];
    for (const heading of headings) {
      const kind = heading.dataset.sort;
      const known = (row) => kind === "text" || row.cells[heading.cellIndex].dataset.value;
      if (!kind || !rows.some(known)) continue;
      const button = tallystick.make("button", { type: "button" }, ...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const numeric = kind === "number";
        const former = heading.getAttribute("aria-sort");
        const falling = former === null ? numeric : former === "ascending";
        for (const other of headings) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
        sortBy(table, heading.cellIndex, numeric, falling ? -1 : 1);
      });
    }
  }

  // A frame may keep pages from the clipboard; then the older way is left.
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = tallystick.make("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      await copy(tallystick.data.copies[button.dataset.copy]);
      button.parentNode.querySelector("[role=status]").textContent = "copied";
    });
  }

  // What is folded is printed too.
  window.addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll("details")) folded.open = true;
  });
})();
