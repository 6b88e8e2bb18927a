"use strict";
(() => {
  const data = JSON.parse(document.getElementById("tallystick-report").textContent);
  document.documentElement.classList.add("script");

  // The names of the sections, for those that are there.
  const nav = document.getElementById("sections");
  for (const section of document.querySelectorAll("main > section")) {
    const link = document.createElement("a");
    link.href = "#" + section.id;
    link.textContent = section.querySelector("h2").textContent;
    nav.append(link);
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
      return Number.isNaN(a) - Number.isNaN(b) || direction * (a - b) || 0;
    });
    table.tBodies[0].append(...rows.map(([, row]) => row));
    table.classList.add("sorted");
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const heading of table.tHead.rows[0].cells) {
      const kind = heading.dataset.sort;
      if (!kind || kind === "none") continue;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const falling = heading.ariaSort !== "descending" && kind === "number";
        const direction = falling || heading.ariaSort === "ascending" ? -1 : 1;
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        heading.ariaSort = direction < 0 ? "descending" : "ascending";
        sortBy(table, heading.cellIndex, kind === "number", direction);
      });
    }
  }

  // A frame may keep pages from the clipboard; then the older way is left.
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      await copy(data.copies[button.dataset.copy]);
      button.parentNode.querySelector("[role=status]").textContent = "copied";
    });
  }
})();
