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
  var LEVELS = levels, HEIGHT = height; /* without the frames that zoom shows */
  var MOST = 20000; /* narrow frames to show at a time */
  var pen = document.createElementNS(HTML, "canvas").getContext("2d");
  var column = 7.3;
  var zoomed = null, here = null, found = [], pattern = "", printing = false, scrolled = 0, top = 0;

  if (pen) {
    pen.font = "12px " + getComputedStyle(root).fontFamily;
    column = pen.measureText("M").width || column;
  }

  var frames = Array.prototype.map.call(area.children, function (g) {
    var rect = g.querySelector("rect"), title = g.querySelector("title").textContent;
    var y = rect.y.baseVal.value / ROW;
    return {
      g: g, rect: rect, text: g.querySelector("text"), title: title,
      name: title.slice(0, title.lastIndexOf(" (" + share(title))),
      x: Number(g.dataset.x), w: Number(g.dataset.w),
      level: inverted ? y : levels - 1 - y
    };
  });
  frames.forEach(function (f) { f.g.flame = f; });

  /* Frames that are too narrow to draw are packed in the file. They are unpacked by the first search
     or zoom, and get elements while zoom makes them wide enough. */
  var packed = root.querySelector("metadata.detail"), unpacking = null;

  if (packed && !window.DecompressionStream)
    root.querySelector(".pruned").textContent += " (Not in this browser.)";

  function unpack() {
    if (!unpacking) unpacking = packed && window.DecompressionStream ? inflate() : Promise.resolve();
    return unpacking;
  }

  function inflate() {
    var bytes = Uint8Array.from(atob(packed.textContent), function (c) { return c.charCodeAt(0); });
    var stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text().then(read, function () { /* damaged: only drawn frames */ });
  }

  function read(text) {
    var lines = text.split("\n"), names = Number(lines[0]), i, at, label;
    for (i = names + 1; i < lines.length - 1; i++) {
      at = lines[i].split("\t");
      label = lines[1 + Number(at[3])];
      frames.push({ narrow: true, g: null, name: label.slice(7), fill: label.slice(0, 7),
                    level: Number(at[0]), x: Number(at[1]), w: Number(at[2]),
                    sign: at[4], opacity: at[5], tail: at[6] });
    }
  }

  function titleOf(f) {
    if (!f.title)
      f.title = f.name + (f.tail || " (" + f.w.toLocaleString("en-US") + " " + count + ", " +
                                    (100 * f.w / total).toFixed(2) + "%)");
    return f.title;
  }

  function build(f) {
    f.g = make(area, "g", {});
    make(f.g, "title", {}, titleOf(f));
    f.rect = make(f.g, "rect", { height: ROW - 1, fill: f.fill });
    if (f.sign) {
      f.rect.setAttribute("class", ["less", "same", "more"][Number(f.sign) + 1]);
      f.rect.setAttribute("fill-opacity", f.opacity);
    }
    f.text = null;
    f.g.flame = f;
    f.g.classList.toggle("found", !!f.found);
  }

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
        window.parent.postMessage({ tachoRoot: edge, above: !inverted, height: height }, "*");
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

  /* Replaces the outermost template arguments of a name by an ellipsis. The "<" of `operator<`, of
     `<lambda>` and of Rust's `<T as Trait>::f` begins none. */
  function collapse(name) {
    var out = "", depth = 0, mark = 0, i, c;
    for (i = 0; i < name.length; i++) {
      c = name[i];
      if (c === "<" && !depth && i && /[\w)]/.test(name[i - 1]) && name.slice(Math.max(0, i - 8), i) !== "operator") {
        mark = out.length;
        depth = 1;
      } else if (depth) {
        depth += (c === "<") - (c === ">" && name[i - 1] !== "-");
      }
      out += c;
      if (c === ">" && !depth && mark && out.length > mark + 3)
        out = out.slice(0, mark) + "\u2039\u2026\u203a";
      if (!depth) mark = 0;
    }
    return out;
  }

  function fits(text, room) {
    if (/^[\x20-\x7e\u2039\u2026\u203a]*$/.test(text)) return text.length <= Math.floor(room / column);
    return pen ? pen.measureText(text).width <= room : 2 * text.length <= Math.floor(room / column);
  }

  /* Shortens a text: first its template arguments, unless it is wanted as it is, then its middle,
     because long names differ at their ends. */
  function fit(text, room, asIs) {
    var letters, low = 0, high, middle, few = room < 10 * column + 6;
    room -= 6;
    if (room < 3 * column) return "";
    if (fits(text, room)) return text;
    if (!asIs) {
      text = collapse(text);
      if (fits(text, room)) return text;
    }
    function ends(n) {
      var head = few ? n : Math.floor(n / 3);
      return letters.slice(0, head).join("") + "\u2026" + letters.slice(letters.length - n + head).join("");
    }
    letters = Array.from(text);
    for (high = Math.min(letters.length - 1, Math.floor(room / column) + 1); low < high;) {
      middle = (low + high + 1) >> 1;
      if (fits(ends(middle), room)) low = middle;
      else high = middle - 1;
    }
    return low ? ends(low) : "";
  }

  function covers(f, z) {
    return f.level < z.level && f.x <= z.x && f.x + f.w >= z.x + z.w;
  }

  /* Makes the picture higher for frames that are deeper than those drawn in the file. */
  function setLevels(n) {
    if (n === levels) return;
    levels = n;
    height = HEIGHT + (levels - LEVELS) * ROW;
    area.setAttribute("height", levels * ROW);
    root.setAttribute("height", height);
    root.querySelectorAll(".legend, .details, .pruned, .changes").forEach(function (e) {
      e.setAttribute("transform", "translate(0," + (height - HEIGHT) + ")");
    });
  }

  /* Returns the width from which narrow frames are shown, so that there are not too many. */
  function leastShown() {
    var widths = [];
    frames.forEach(function (f) { if (f.narrow && f.shown) widths.push(f.w); });
    widths.sort(function (a, b) { return b - a; });
    return widths.length > MOST ? widths[MOST] + 1 : 0;
  }

  function draw() {
    var z = zoomed || { x: 0, w: total, level: 0 };
    var px = area.width.baseVal.value, deepest = 0, least;
    frames.forEach(function (f) {
      f.above = covers(f, z);
      var inside = f.level >= z.level && f.x >= z.x && f.x + f.w <= z.x + z.w;
      f.shown = (f.above || inside) && (f.w / z.w * px >= (f.narrow ? 1 : 0.3) || f.above || f.level === 0) &&
                (!f.narrow || !!zoomed);
    });
    least = zoomed ? leastShown() : 0;
    frames.forEach(function (f) {
      if (f.narrow && f.w < least && !f.above) f.shown = false;
      if (f.shown) deepest = Math.max(deepest, f.level + 1);
    });
    setLevels(Math.max(LEVELS, deepest));
    frames.forEach(function (f) {
      var x = f.above ? 0 : (f.x - z.x) / z.w, w = f.above ? 1 : f.w / z.w;
      var y = (inverted ? f.level : levels - 1 - f.level) * ROW, label;
      if (f.narrow && f.shown !== !!f.g) {
        if (f.shown) build(f);
        else { f.g.remove(); f.g = null; }
      }
      if (!f.g) return;
      f.g.classList.toggle("off", !f.shown);
      f.g.classList.toggle("above", f.above && f.level > 0);
      if (!f.shown) return;
      f.rect.setAttribute("x", 100 * x + "%");
      f.rect.setAttribute("width", 100 * w + "%");
      f.rect.setAttribute("y", y);
      f.room = w * px;
      label = fit(f.name, f.room);
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

  /* Finds frames and sums up their samples, each counted once. The first search unpacks the narrow
     frames, and then searches again. */
  function search(text) {
    var re, end = -1, sum = 0, hidden = 0;
    if (text && !unpacking)
      unpack().then(function () { if (pattern) search(pattern); });
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
      f.found = yes;
      if (f.g) f.g.classList.toggle("found", yes);
      if (yes) found.push(f);
      if (yes && f.narrow) hidden++;
    });
    found.slice().sort(function (a, b) { return a.x - b.x || b.w - a.w; }).forEach(function (f) {
      if (f.x < end) return;
      sum += f.w;
      end = f.x + f.w;
    });
    matched.textContent = text ? found.length + (found.length === 1 ? " frame" : " frames") +
      " found: " + sum.toLocaleString("en-US") + " " + count + ", " +
      (100 * sum / total).toFixed(2) + "%" + (hidden ? " (" + hidden.toLocaleString("en-US") + " only when zoomed)" : "") : "";
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
    if (at.length === 3 && !unpacking) unpack().then(recall);
    if (at.length === 3)
      frames.forEach(function (f) {
        if (f.level === Number(at[0]) && f.x === Number(at[1]) && f.w === Number(at[2]))
          zoomed = f;
      });
    search(text);
    draw();
  }

  function go(f) {
    var before = height;
    zoomed = f && f.level > 0 ? f : null;
    draw();
    remember();
    if (height !== before) {
      place(); /* a scroll bar may have come or gone */
      showRoot();
    }
    if (zoomed && packed && !unpacking) unpack().then(function () { go(zoomed); });
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

  /* Returns the numbers of a title, the percentage first. */
  function numbers(f) {
    var text = titleOf(f).slice(f.name.length + 2, -1), comma = text.lastIndexOf(", ");
    return root.dataset.diff === "1" || comma < 0 ? text
                                                  : text.slice(comma + 2) + ", " + text.slice(0, comma);
  }

  /* Shows the numbers and the name of a frame below the picture, and its label with template
     arguments. */
  function point(f) {
    var text;
    if (here && here.g) {
      here.g.classList.remove("here");
      if (here.text) here.text.textContent = fit(here.name, here.room);
    }
    here = f;
    if (!f) {
      details.textContent = " ";
      return;
    }
    f.g.classList.add("here");
    if (f.text) f.text.textContent = fit(f.name, f.room, true);
    text = numbers(f) + "  ";
    details.textContent = text + fit(f.name, Math.max(area.width.baseVal.value - text.length * column, 12 * column), true);
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
    if (!shown.length && found.length) {
      go(found[0]);
      shown = [found[0]];
    }
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
