"use strict";
// Shows the names of pods and nodes at once, and lets the arrow keys go from one
// to the next. Without this the browser shows them by itself, after a moment.
(function () {
  var tip = document.getElementById("tip");
  var current = null;

  function textOf(item) {
    if (!item.dataset.tip) {
      var title = item.querySelector("title");
      item.dataset.tip = title ? title.textContent : item.getAttribute("title") || "";
      // The browser's own hint would come on top of ours.
      if (title) { title.remove(); }
      item.removeAttribute("title");
    }
    return item.dataset.tip;
  }

  function hide() {
    if (current) { current.classList.remove("on"); }
    current = null;
    tip.hidden = true;
  }

  function show(item) {
    if (current === item) { return; }
    hide();
    current = item;
    item.classList.add("on");
    tip.textContent = textOf(item);
    tip.hidden = false;
    var box = item.getBoundingClientRect(), own = tip.getBoundingClientRect();
    var left = Math.min(Math.max(8, box.left), document.documentElement.clientWidth - own.width - 8);
    var below = box.bottom + 8;
    var top = below + own.height > window.innerHeight ? box.top - own.height - 8 : below;
    // Through the object model, which the content security policy lets through.
    tip.style.left = Math.max(8, left) + "px";
    tip.style.top = Math.max(8, top) + "px";
  }

  document.addEventListener("pointerover", function (e) {
    var item = e.target.closest && e.target.closest(".walk .i");
    if (item) { show(item); } else { hide(); }
  });
  document.addEventListener("scroll", hide, { passive: true, capture: true });
  document.addEventListener("focusout", hide);

  document.querySelectorAll(".walk").forEach(function (walk) {
    walk.tabIndex = 0;
    walk.addEventListener("focus", function () {
      if (walk.matches(":focus-visible")) { show(walk.querySelector(".i") || walk); }
    });
    walk.addEventListener("focusin", function (e) {
      if (e.target.matches("a.i")) { show(e.target); }
    });
    walk.addEventListener("keydown", function (e) {
      var items = Array.prototype.slice.call(walk.querySelectorAll(".i"));
      var at = items.indexOf(current);
      var to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, PageDown: at + 25, PageUp: at - 25, Home: 0, End: items.length - 1 }[e.key];
      if (e.key === "Escape") { hide(); }
      if (to === undefined || !items.length) { return; }
      e.preventDefault();
      show(items[Math.min(Math.max(0, to), items.length - 1)]);
    });
  });
})();
