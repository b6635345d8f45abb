(function () {
  "use strict";
  var SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
  var script = document.currentScript;
  var root = script && script.closest ? script.closest("svg.tacho-flame")
                                      : document.querySelector("svg.tacho-flame");
  if (!root) return;
  var alone = root === document.documentElement;
  var key = root.id || "flame";
  var area = root.querySelector("svg.frames"), details = root.querySelector(".details");
  var total = Number(root.dataset.total) || 1, count = root.dataset.count;
  var ROW = 16, MARGIN = 10, HEAD = area.y.baseVal.value, height = root.height.baseVal.value;
  var inverted = root.dataset.inverted === "1", levels = area.height.baseVal.value / ROW;
  var pen = document.createElementNS(HTML, "canvas").getContext("2d");
  var column = 7.3;
  var zoomed = null, here = null, found = [], pattern = "", printing = false, scrolled = 0, top = 0;

  if (pen) {
    pen.font = "12px " + getComputedStyle(root).fontFamily;
    column = pen.measureText("M").width || column;
  }

  var frames = Array.prototype.map.call(area.children, function (g, i) {
    var rect = g.querySelector("rect"), title = g.querySelector("title").textContent;
    var y = rect.y.baseVal.value / ROW;
    return {
      g: g, rect: rect, text: g.querySelector("text"), title: title,
      name: title.slice(0, title.lastIndexOf(" (" + share(title))),
      x: Number(g.dataset.x), w: Number(g.dataset.w), index: i,
      level: inverted ? y : levels - 1 - y
    };
  });
  frames.forEach(function (f) { f.g.flame = f; });

  function share(title) { return title.slice(title.lastIndexOf(" (") + 2); }

  function make(parent, name, attributes, text) {
    var e = document.createElementNS(SVG, name);
    Object.keys(attributes).forEach(function (k) { e.setAttribute(k, attributes[k]); });
    if (text) e.textContent = text;
    parent.appendChild(e);
    return e;
  }

  /* Title, buttons and search stay in view when a tall picture is scrolled. */
  var head = make(root, "g", { "class": "head" });
  var title = root.querySelector("text.title"), subtitle = root.querySelector("text.subtitle");
  make(head, "rect", { "class": "paper", width: "100%", height: HEAD - 2 });
  if (title) head.appendChild(title);
  if (subtitle) head.appendChild(subtitle);

  function button(x, anchor, text, action) {
    var e = make(head, "text", { "class": "button", x: x, y: 20, "text-anchor": anchor,
                                 tabindex: 0, role: "button" }, text);
    e.addEventListener("click", action);
    e.addEventListener("keydown", function (event) {
      if (event.key === "Enter" || event.key === " ") {
        action();
        event.preventDefault();
        event.stopPropagation();
      }
    });
    return e;
  }

  var reset = button(MARGIN, "start", "Reset zoom", function () { go(null); });
  var flipper = button(MARGIN + 100, "start", inverted ? "Flame" : "Icicle", flip);
  button(MARGIN + 170, "start", "Theme", theme);
  reset.classList.add("reset");
  flipper.classList.add("flip");

  var box = make(head, "foreignObject", { x: 0, y: 4, width: 210, height: 26 });
  var input = document.createElementNS(HTML, "input");
  input.setAttribute("type", "search");
  input.setAttribute("placeholder", "Search (regexp)");
  input.setAttribute("aria-label", "Search frames");
  box.appendChild(input);
  var matched = make(head, "text", { "class": "matched", y: 45, "text-anchor": "end" });

  /* Makes the picture as wide as its container. */
  function place() {
    var width = Math.max(320, root.getBoundingClientRect().width || 1200), room;
    if (printing) return;
    area.setAttribute("width", width - 2 * MARGIN);
    room = Math.min(210, width - 2 * MARGIN - 215); /* the buttons take this much; the title gets the rest */
    box.setAttribute("width", room);
    box.setAttribute("x", width - MARGIN - room);
    if (title) title.classList.toggle("off", title.getComputedTextLength() / 2 > width / 2 - 235);
    matched.setAttribute("x", width - MARGIN);
    draw();
  }

  function follow() {
    head.setAttribute("transform", "translate(0," + (alone ? window.pageYOffset + top : 0) + ")");
  }

  /* Brings the root, or the frame that is zoomed into, into view: a deep picture is taller than its
     place, which is the window, or what scrolls around the picture in a page. */
  function showRoot() {
    var f = zoomed || frames[0], y = HEAD + (inverted ? f.level : levels - 1 - f.level) * ROW;
    var edge = inverted ? y - HEAD : y + ROW + height - HEAD - levels * ROW;
    if (alone) {
      window.scrollTo(0, inverted ? edge : edge - window.innerHeight);
      if (window.parent !== window) /* a frame of its full height, in a page that scrolls */
        window.parent.postMessage({ tachoRoot: edge, above: !inverted }, "*");
      follow();
      return;
    }
    for (var e = root.parentElement; e && e !== document.body; e = e.parentElement)
      if (e.scrollHeight > e.clientHeight && /auto|scroll/.test(getComputedStyle(e).overflowY)) {
        y = root.getBoundingClientRect().top - e.getBoundingClientRect().top - e.clientTop + edge;
        e.scrollTop += inverted ? y : y - e.clientHeight;
        return;
      }
  }

  /* Scales the whole picture to the page for printing, because paper does not scroll. */
  function print(on) {
    printing = on;
    if (on) {
      scrolled = window.pageYOffset;
      head.removeAttribute("transform");
      root.setAttribute("viewBox", "0 0 " + (area.width.baseVal.value + 2 * MARGIN) + " " + height);
    } else {
      root.removeAttribute("viewBox");
      place();
      if (alone) window.scrollTo(0, scrolled);
      follow();
    }
  }

  function fit(text, room) {
    var columns = Math.floor((room - 6) / column), low = 0, high;
    if (columns < 3) return "";
    if (/^[\x20-\x7e]*$/.test(text))
      return text.length <= columns ? text : text.slice(0, columns - 1) + "\u2026";
    var letters = Array.from(text.length > 400 ? text.slice(0, 400) : text);
    if (!pen) return letters.slice(0, Math.floor(columns / 2)).join("");
    if (pen.measureText(text).width <= room - 6) return text;
    for (high = letters.length; low < high;) {
      var middle = (low + high + 1) >> 1;
      if (pen.measureText(letters.slice(0, middle).join("") + "\u2026").width <= room - 6)
        low = middle;
      else
        high = middle - 1;
    }
    return low ? letters.slice(0, low).join("") + "\u2026" : "";
  }

  function covers(f, z) {
    return f.level < z.level && f.x <= z.x && f.x + f.w >= z.x + z.w;
  }

  function draw() {
    var z = zoomed || { x: 0, w: total, level: 0 };
    var px = area.width.baseVal.value;
    frames.forEach(function (f) {
      var above = covers(f, z);
      var inside = f.level >= z.level && f.x >= z.x && f.x + f.w <= z.x + z.w;
      var x = above ? 0 : (f.x - z.x) / z.w, w = above ? 1 : f.w / z.w;
      var shown = (above || inside) && (w * px >= 0.3 || f.level === 0);
      var y = (inverted ? f.level : levels - 1 - f.level) * ROW, label;
      f.shown = shown;
      f.g.classList.toggle("off", !shown);
      f.g.classList.toggle("above", above && f.level > 0);
      if (!shown) return;
      f.rect.setAttribute("x", 100 * x + "%");
      f.rect.setAttribute("width", 100 * w + "%");
      f.rect.setAttribute("y", y);
      label = fit(f.name, w * px);
      if (label && !f.text) {
        f.text = document.createElementNS(SVG, "text");
        f.text.setAttribute("dx", 3);
        f.g.appendChild(f.text);
      }
      if (f.text) {
        f.text.textContent = label;
        f.text.setAttribute("x", 100 * x + "%");
        f.text.setAttribute("y", y + 11);
      }
    });
    reset.classList.toggle("idle", !zoomed);
  }

  /* Finds frames and sums up their samples, each counted once. */
  function search(text) {
    var re, end = -1, sum = 0;
    pattern = text;
    found = [];
    if (text) {
      try {
        re = new RegExp(text, /[A-Z]/.test(text) ? "" : "i");
      } catch (e) {
        re = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
      }
    }
    frames.forEach(function (f) {
      var yes = !!re && f.level > 0 && re.test(f.name);
      f.g.classList.toggle("found", yes);
      if (yes) found.push(f);
    });
    found.slice().sort(function (a, b) { return a.x - b.x || b.w - a.w; }).forEach(function (f) {
      if (f.x < end) return;
      sum += f.w;
      end = f.x + f.w;
    });
    matched.textContent = text ? found.length + (found.length === 1 ? " frame" : " frames") +
      " found: " + sum.toLocaleString("en-US") + " " + count + ", " +
      (100 * sum / total).toFixed(2) + "%" : "";
    if (input.value !== text) input.value = text;
  }

  /* Stores the zoomed frame and the search text in the address, so that it can be passed on and
     the browser's Back undoes it. Other parts of the fragment are left as they are. */
  function remember() {
    var parts = location.hash.slice(1).split("&").filter(function (part) {
      return part && part.indexOf(key + "=") !== 0;
    });
    var state = zoomed ? [zoomed.level, zoomed.x, zoomed.w].join(",") : "";
    if (pattern) state += "/" + encodeURIComponent(pattern);
    if (state) parts.push(key + "=" + state);
    var hash = parts.length ? "#" + parts.join("&") : "";
    if (hash === location.hash || (!hash && !location.hash)) return;
    try {
      history.pushState(null, "", hash || location.href.split("#")[0]);
    } catch (e) { /* a page without an address of its own */ }
  }

  function recall() {
    var state = "";
    (location.hash.slice(1) + "&" + location.search.slice(1)).split("&").forEach(function (part) {
      if (!state && part.indexOf(key + "=") === 0) state = part.slice(key.length + 1);
    });
    var slash = state.indexOf("/"), at = (slash < 0 ? state : state.slice(0, slash)).split(",");
    var text = "";
    try {
      text = slash < 0 ? "" : decodeURIComponent(state.slice(slash + 1));
    } catch (e) { /* the fragment was not written by us */ }
    zoomed = null;
    if (at.length === 3)
      frames.forEach(function (f) {
        if (f.level === Number(at[0]) && f.x === Number(at[1]) && f.w === Number(at[2]))
          zoomed = f;
      });
    search(text);
    draw();
  }

  function go(f) {
    zoomed = f && f.level > 0 ? f : null;
    draw();
    remember();
  }

  function flip() {
    inverted = !inverted;
    flipper.textContent = inverted ? "Flame" : "Icicle";
    draw();
    showRoot();
  }

  function theme() {
    var dark = getComputedStyle(root).colorScheme === "dark";
    root.dataset.theme = dark ? "light" : "dark";
  }

  function point(f) {
    if (here) here.g.classList.remove("here");
    here = f;
    details.textContent = f ? fit(f.title, area.width.baseVal.value) : " ";
    if (f) f.g.classList.add("here");
  }

  /* Selects a frame by key and scrolls to it, as it may be out of view. */
  function reach(f) {
    point(f);
    f.rect.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /* Chooses the nearest frame to the side, or the widest one above. */
  function best(test, up) {
    var chosen = null;
    frames.forEach(function (f) {
      if (!f.shown || !test(f)) return;
      if (!chosen || (up > 0 ? f.w > chosen.w || (f.w === chosen.w && f.x < chosen.x)
                             : Math.abs(f.x - here.x) < Math.abs(chosen.x - here.x)))
        chosen = f;
    });
    return chosen;
  }

  function move(dx, up) {
    if (!here) return reach(zoomed || frames[0]);
    var next = best(function (f) {
      if (dx) return f.level === here.level && (dx > 0 ? f.x > here.x : f.x < here.x);
      if (up > 0) return f.level === here.level + 1 && f.x >= here.x && f.x < here.x + here.w;
      return f.level === here.level - 1 && f.x <= here.x && f.x + f.w >= here.x + here.w;
    }, up);
    if (next) reach(next);
  }

  function nextFound() {
    var shown = found.filter(function (f) { return f.shown; });
    if (shown.length) reach(shown[(shown.indexOf(here) + 1) % shown.length]);
  }

  function press(event) {
    var k = event.key;
    if (event.target === input) {
      if (k === "Escape") { search(""); remember(); input.blur(); event.preventDefault(); }
      if (k === "Enter") { search(input.value); remember(); nextFound(); }
      event.stopPropagation();
      return;
    }
    if ((event.ctrlKey || event.metaKey) && k === "f" && alone) k = "/";
    else if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (k === "/") input.focus();
    else if (k === "Escape") { if (pattern) { search(""); remember(); } else go(null); }
    else if (k === "Home" || k === "0") go(null);
    else if (k === "Enter") { if (here) go(here); }
    else if (k === "ArrowLeft") move(-1, 0);
    else if (k === "ArrowRight") move(1, 0);
    else if (k === "ArrowUp") move(0, inverted ? -1 : 1);
    else if (k === "ArrowDown") move(0, inverted ? 1 : -1);
    else if (k === "n") nextFound();
    else if (k === "i") flip();
    else if (k === "t") theme();
    else return;
    event.preventDefault();
  }

  function frameOf(event) {
    var g = event.target.closest ? event.target.closest("g") : null;
    return g && g.flame;
  }

  area.addEventListener("click", function (event) {
    var f = frameOf(event);
    if (f) go(f);
  });
  area.addEventListener("mouseover", function (event) { point(frameOf(event)); });
  area.addEventListener("mouseleave", function () { point(null); });
  input.addEventListener("input", function () { search(input.value); });
  input.addEventListener("change", remember);
  (alone ? document : root).addEventListener("keydown", press);
  window.addEventListener("resize", place);
  window.addEventListener("scroll", follow);
  window.addEventListener("message", function (event) {
    if (event.source !== window.parent || !event.data || typeof event.data.tachoTop !== "number") return;
    top = event.data.tachoTop;
    follow();
  });
  window.addEventListener("beforeprint", function () { print(true); });
  window.addEventListener("afterprint", function () { print(false); });
  window.addEventListener("hashchange", recall);
  window.addEventListener("popstate", recall);

  root.setAttribute("width", "100%");
  root.removeAttribute("viewBox");
  recall();
  place();
  showRoot();
})();
