'use strict';
// Adds tooltips and zooming to every chart. Without this script the charts are complete, but static.
(() => {
  const scales = {
    ns: [[1e9, ' s'], [1e6, ' ms'], [1e3, ' us'], [1, ' ns']],
    bytes: [[1099511627776, ' TiB'], [1073741824, ' GiB'], [1048576, ' MiB'], [1024, ' KiB'], [1, ' B']],
    count: [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k', 1e4], [1, '']], // k from 10000 on, as in the chart
    j: [[1, ' J']], plain: [[1, '']],
  };
  // Formats a value with its unit. Values that differ by `apart` get enough digits to look different.
  const show = (value, unit, apart) => {
    const list = scales[unit];
    const scale = list.find(s => Math.abs(value) >= (s[2] || s[0]) * 0.99995) || list[list.length - 1];
    const digits = apart && value ? Math.min(7, Math.max(4, Math.ceil(Math.log10(Math.abs(value) / apart)) + 1)) : 4;
    return +(value / scale[0]).toPrecision(digits) + scale[1];
  };
  const step = (range, most, count, unit) => {
    let base = 1;
    if (unit === 'bytes') while (most >= base * 1024) base *= 1024;
    let s = range / count / base;
    const power = 10 ** Math.floor(Math.log10(s));
    s /= power;
    s = base * power * (s < 1.5 ? 1 : s < 3.5 ? 2 : s < 7.5 ? 5 : 10);
    return unit === 'count' && s < 1 ? 1 : s;
  };
  const make = (name, parent, attributes) => {
    const e = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    parent.appendChild(e);
    return e;
  };
  const points = (svg, H) => {
    const list = [];
    for (const path of svg.querySelectorAll('.dots, .line'))
      for (const m of path.getAttribute('d').matchAll(/[ML]([-\d.]+) ([-\d.]+)/g))
        if (!(path.classList.contains('filled') && +m[2] === H)) list.push([+m[1], +m[2]]);
    for (const path of svg.querySelectorAll('.bars'))
      for (const m of path.getAttribute('d').matchAll(/M([-\d.]+) [-\d.]+V([-\d.]+)h([-\d.]+)/g))
        list.push([+m[1] + m[3] / 2, +m[2]]);
    return list.sort((a, b) => a[0] - b[0]);
  };

  for (const svg of document.querySelectorAll('figure.plot > svg')) {
    const d = svg.dataset, figure = svg.parentNode, data = svg.querySelector('.data');
    const whole = svg.viewBox.baseVal.width;
    const [L, T, W, H] = ['x', 'y', 'width', 'height'].map(a => +svg.querySelector('.area').getAttribute(a));
    const x0 = +d.x0, x1 = +d.x1, y0 = +d.y0, y1 = +d.y1;
    const ticks = svg.querySelector('.ticks.x'), list = points(svg, H);
    let from = 0, to = W, at = -1, down = null;
    const mark = make('circle', svg, {class: 'mark', r: 4, visibility: 'hidden'});
    const pick = make('rect', svg, {class: 'pick', y: T, height: H, visibility: 'hidden'});
    const tip = document.createElement('div');
    tip.className = 'tip';
    tip.hidden = true;
    figure.appendChild(tip);
    svg.setAttribute('aria-describedby', 'keys');

    const exact = (value, unit) => unit === 'count' ? Math.round(value) : value; // pixels are rounded
    const between = (a, b, share, log) => log ? a * (b / a) ** share : a + share * (b - a);
    const toX = px => between(x0, x1, px / W, d.xlog), toY = py => between(y1, y0, py / H, d.ylog);
    const shareX = x => d.xlog ? Math.log(x / x0) / Math.log(x1 / x0) : (x - x0) / (x1 - x0);
    const ticksOf = (lo, hi) => {
      const list = [], many = step(hi - lo, hi, 6, d.xu), s = hi > many * 1000 ? step(hi - lo, hi, 3, d.xu) : many;
      list.apart = s;
      if (+d.first >= lo && s > d.first) list.push(+d.first);
      if (!d.xlog || hi / lo < 10)
        for (let first = Math.ceil((d.first ? Math.max(lo, d.first) : lo) / s), i = 0; i < 20 && (first + i) * s <= hi; i++) list.push((first + i) * s);
      else
        for (let e = Math.floor(Math.log10(lo)); e <= Math.log10(hi); e++)
          for (const k of hi / lo > 500 ? [1] : [1, 2, 5]) if (k * 10 ** e >= lo && k * 10 ** e <= hi) list.push(k * 10 ** e);
      return list;
    };
    const onScreen = px => L + (px - from) / (to - from) * W;
    const zoom = (a, b) => {
      from = Math.max(0, a);
      to = Math.min(W, b);
      if (to - from < W / 500) { from = 0; to = W; }
      data.setAttribute('transform', `scale(${W / (to - from)} 1) translate(${-from} 0)`);
      ticks.textContent = '';
      const list = ticksOf(toX(from), toX(to));
      for (const x of list)
        make('text', ticks, {x: onScreen(shareX(x) * W), y: T + H + 18}).textContent = show(x, d.xu, list.apart);
      svg.dataset.zoomed = from > 0 || to < W ? '1' : '';
      point(-1);
    };
    const point = i => {
      at = i;
      const p = list[i];
      const out = !p || p[0] < from || p[0] > to;
      mark.setAttribute('visibility', out ? 'hidden' : 'visible');
      tip.hidden = out;
      if (out) return;
      const box = svg.getBoundingClientRect(), k = box.width / whole;
      mark.setAttribute('cx', onScreen(p[0]));
      mark.setAttribute('cy', T + p[1]);
      tip.textContent = `${d.xn} ${show(exact(toX(p[0]), d.xu), d.xu)}: ${show(exact(toY(p[1]), d.yu), d.yu)}`;
      const left = onScreen(p[0]) * k;
      tip.style.top = svg.offsetTop + (T + p[1]) * k - 30 + 'px';
      tip.style.left = Math.max(0, Math.min(left - tip.offsetWidth / 2, box.width - tip.offsetWidth)) + 'px';
    };
    const inData = event => {
      const box = svg.getBoundingClientRect();
      return from + ((event.clientX - box.left) / box.width * whole - L) / W * (to - from);
    };
    const nearest = px => {
      let best = -1;
      for (let i = 0; i < list.length; i++)
        if (best < 0 || Math.abs(list[i][0] - px) < Math.abs(list[best][0] - px)) best = i;
      return best;
    };
    svg.addEventListener('pointermove', e => {
      const px = inData(e);
      if (down === null) return point(nearest(px));
      const a = onScreen(Math.min(down, px)), b = onScreen(Math.max(down, px));
      pick.setAttribute('x', a);
      pick.setAttribute('width', b - a);
      pick.setAttribute('visibility', 'visible');
    });
    svg.addEventListener('pointerdown', e => { if (e.pointerType === 'mouse') down = inData(e); });
    svg.addEventListener('pointerup', e => {
      const px = inData(e);
      if (down !== null && Math.abs(px - down) / (to - from) > 0.02) zoom(Math.min(down, px), Math.max(down, px));
      down = null;
      pick.setAttribute('visibility', 'hidden');
    });
    svg.addEventListener('pointerleave', () => { down = null; pick.setAttribute('visibility', 'hidden'); point(-1); });
    svg.addEventListener('dblclick', () => zoom(0, W));
    svg.addEventListener('blur', () => point(-1));
    svg.addEventListener('keydown', e => {
      const middle = at >= 0 && list[at] ? list[at][0] : (from + to) / 2, half = (to - from) / 2;
      if (e.key === 'ArrowRight') point(Math.min(list.length - 1, at + 1));
      else if (e.key === 'ArrowLeft') point(Math.max(0, at - 1));
      else if (e.key === '+' || e.key === '=') zoom(middle - half / 2, middle + half / 2);
      else if (e.key === '-') zoom(middle - 2 * half, middle + 2 * half);
      else if (e.key === 'Escape' || e.key === '0') zoom(0, W);
      else return;
      e.preventDefault();
    });
  }

  // Sorts a table when a heading is clicked.
  for (const table of document.querySelectorAll('table.sort')) {
    const heads = [...table.rows[0].cells];
    heads.forEach((head, column) => head.addEventListener('click', () => {
      const up = head.getAttribute('aria-sort') !== 'ascending';
      const value = row => { const c = row.cells[column], v = c.dataset.v; return v === undefined ? c.textContent : v === '' ? Infinity : +v; };
      const rows = [...table.rows].slice(1).sort((a, b) => {
        const x = value(a), y = value(b);
        return (up ? 1 : -1) * (typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y)));
      });
      heads.forEach(h => h.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      rows.forEach(row => table.tBodies[0].appendChild(row));
    }));
  }

  // A flamegraph is in a sandboxed frame as high as the picture, inside a box that scrolls. The frame
  // sends the position of its root (tachoRoot), and the box scrolls there. The page sends how far the
  // box is scrolled (tachoTop), so that the frame can keep its title in view. Browsers do not draw a
  // frame before it comes into view; until then, and in a picture of the whole page, its image is there.
  for (const box of document.querySelectorAll('.picture')) {
    const frame = box.firstElementChild;
    const sendScroll = () => frame.contentWindow.postMessage({ tachoTop: box.scrollTop }, '*');
    frame.style.backgroundImage = `url("${frame.src}")`;
    box.scrollTop = box.scrollHeight;
    box.addEventListener('scroll', sendScroll);
    window.addEventListener('message', e => {
      if (e.source !== frame.contentWindow || !e.data || typeof e.data.tachoRoot !== 'number') return;
      if (e.data.height > 0) frame.style.setProperty('--height', `${e.data.height + 2}px`);
      box.scrollTop = e.data.tachoRoot - (e.data.above ? box.clientHeight : 0);
      sendScroll();
    });
  }
})();
