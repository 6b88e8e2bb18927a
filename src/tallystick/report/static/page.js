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

  // What could turn a line of text, or cannot be seen, is written as an escape.
  plain(text) {
    return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
      (mark) => "\\u" + mark.charCodeAt(0).toString(16).padStart(4, "0"));
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
    for (const heading of headings) {
      const kind = heading.dataset.sort;
      if (!kind || kind === "none") continue;
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
