/* The page of a film. All that is drawn follows from the film and from `at`: which block, which step. Names and source lines get in by
 * textContent alone. */

const film = withSteps(JSON.parse(document.getElementById("film").textContent), JSON.parse(document.getElementById("steps").textContent));
const $ = id => document.getElementById(id);
const WARP = 32, BANKS = 32, SECTOR = 32, CELLS_MAX = 10240, ROWS_MAX = 64, SEEN_MAX = 4096, HIGH = 330, GUARD = 256;
const at = { block: 0, step: 0, playing: 0 };
const steps = () => film.blocks.length ? film.blocks[at.block].steps : [];
const current = () => steps()[at.step];
const lineOf = step => film.insts[step.i].line || 0;
const fileOf = step => film.insts[step.i].file || "";

/* What a step leaves out because it is as ever is put in. The text does the same (common/vgpu/tool/film.c). */
function withSteps(f, lists) {
  f.blocks.forEach((b, i) => {
    b.steps = lists[i] || [];
    for (const s of b.steps) {
      if (s.m === undefined) s.m = (lanesOfWarp(f, s.w) & ~(s.g || 0)) >>> 0;
      if (s.k && !s.e) s.e = "access";
      if (s.z && !s.s) s.s = "global";
    }
  });
  return f;
}

function make(name, text, cls) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (cls) e.className = cls;
  return e;
}

/* The colours of the style sheet, until the scheme changes. */
const colors = new Map();
function color(name) {
  if (!colors.has(name)) colors.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return colors.get(name);
}

/* A colour for each lane, dark blue to yellow: its lightness rises all the way, so that it is told apart without hue. */
const STOPS = [[59, 50, 130], [44, 104, 142], [30, 152, 138], [92, 190, 92], [240, 220, 50]];
const LANE_COLORS = Array.from({ length: WARP }, (_, lane) => laneColorOf(lane));
function laneColor(lane) {
  return LANE_COLORS[lane];
}

function laneColorOf(lane) {
  const x = lane / 31 * (STOPS.length - 1), i = Math.min(Math.floor(x), STOPS.length - 2), f = x - i;
  return "rgb(" + STOPS[i].map((v, k) => Math.round(v + (STOPS[i + 1][k] - v) * f)).join(",") + ")";
}

/* ---- indexes over a block's steps ---- */

const indexes = new Map();
function indexOf(block) {
  if (!indexes.has(block)) {
    const list = film.blocks[block].steps, byWarp = [];
    list.forEach((s, i) => (byWarp[s.w] = byWarp[s.w] || []).push(i));
    indexes.set(block, { byWarp, marks: marksOf(block, list) });
  }
  return indexes.get(block);
}

/* The last number of a sorted list that is at most n; -1. */
function lastAtMost(list, n) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (list[middle] <= n) low = middle + 1; else high = middle;
  }
  return low ? list[low - 1] : -1;
}

function marksOf(block, list) {
  const marks = new Map();
  list.forEach((s, i) => {
    const before = i && list[i - 1].w === s.w ? list[i - 1] : null;
    if (s.e === "barrier") marks.set(i, "barrier");
    else if (s.o && (!before || !before.o)) marks.set(i, "part");
    if (s.e === "fault") marks.set(i, "finding");
  });
  film.findings.forEach(f => {
    if (f.block === block) for (const i of [f.step, f.other]) if (i >= 0) marks.set(i, "finding");
  });
  return marks;
}

/* ---- what variables and registers hold ---- */

/* Of each thing that steps of a warp tell of: those steps, ascending. */
const tellings = new Map();
function tellingsOf(block) {
  if (!tellings.has(block)) {
    const lists = new Map();
    film.blocks[block].steps.forEach((s, i) => {
      for (const [held] of s.h || []) {
        const key = s.w + "/" + held;
        if (!lists.has(key)) lists.set(key, []);
        lists.get(key).push(i);
      }
    });
    tellings.set(block, lists);
  }
  return tellings.get(block);
}

/* A lane's number in [held, first, what each lane adds] or [held, bytes of 32 lanes]: the bits, as many as it has. */
function heldBits(entry, bytes, lane) {
  if (entry.length === 2) {
    const view = bytesOf(entry[1]);
    let bits = 0n;
    for (let i = bytes - 1; i >= 0; i--) bits = bits << 8n | BigInt(view.getUint8(lane * bytes + i));
    return bits;
  }
  if (!bytes) return BigInt(entry[1]) >> BigInt(lane) & 1n;
  return BigInt.asUintN(8 * bytes, BigInt(entry[1]) + BigInt(lane) * BigInt(entry[2]));
}

function heldText(entry, held, type, lane) {
  const bits = heldBits(entry, held.bytes, lane);
  if (!held.bytes) return bits ? "true" : "false";
  if (type === "b64") return "0x" + bits.toString(16);
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits, true);
  return element(type, view, 0, held.bytes);
}

/* What a thing holds for a lane, by the last step up to `step` that tells of it: { text, since }; null: none does. */
function heldAt(block, step, warp, held, type, lane) {
  const since = lastAtMost(tellingsOf(block).get(warp + "/" + held) || [], step);
  if (since < 0) return null;
  const entry = film.blocks[block].steps[since].h.find(h => h[0] === held);
  return { text: entry.length === 1 ? "no longer kept" : heldText(entry, film.held[held], type, lane), since };
}

/* The last step up to now in which a thread takes part; -1. */
function lastStepOf(thread) {
  const list = indexOf(at.block).byWarp[thread >> 5] || [];
  for (let i = list.length - 1; i >= 0; i--)
    if (list[i] <= at.step && hasLane(steps()[list[i]].m, thread & 31)) return list[i];
  return -1;
}

/* Rows [name, value, since] for a thread at its step: variables of the source that are in scope, then registers. */
function heldRows(step, thread) {
  const s = steps()[step], inst = film.insts[s.i], lane = thread & 31, rows = [], pc = inst.pc || 0;
  const add = (name, held, type) => {
    const now = heldAt(at.block, step, s.w, held, type, lane);
    if (now) rows.push([name, now.text, now.since]);
  };
  const own = film.variables.filter(v => v.function === inst.function), inScope = own.filter(v => v.from <= pc && pc < v.to);
  for (const v of inScope) add(v.name, v.held, v.type);
  const shown = new Set(own.map(v => v.held));
  film.held.forEach((h, i) => { if (h.function === inst.function && !shown.has(i)) add(h.name, i, h.type); });
  return rows;
}

function drawHeld(step) {
  if (!film.held.length) return;
  const typed = $("h-thread").value, lanes = lanesOf(step.e ? eventMask(step) : step.m);
  const thread = typed === "" ? step.w * WARP + (lanes.length ? lanes[0] : 0) : Number(typed), own = lastStepOf(thread), host = $("held");
  host.textContent = "";
  $("held-whose").textContent = own < 0 ? "Thread " + threadName(thread) + " has not begun." :
    "Thread " + threadName(thread) + (own === at.step ? "" : ", which last did something in step " + own) +
    ", before the step's access; what it loads is there from the next step on.";
  if (own < 0) return;
  const table = make("table"), head = table.createTHead().insertRow(), body = table.createTBody();
  for (const t of ["Name", "Value", "Since step"]) {
    const th = make("th", t);
    th.scope = "col";
    head.append(th);
  }
  for (const cells of heldRows(own, thread)) {
    const row = body.insertRow();
    for (const text of cells) row.insertCell().textContent = text;
  }
  host.append(table);
}

/* ---- filters ---- */

function chosen() {
  const number = id => $(id).value === "" ? -1 : Number($(id).value);
  return { thread: number("f-thread"), warp: number("f-warp"), line: number("f-line"), array: $("f-array").value };
}

function passes(step, f) {
  if (f.warp >= 0 && step.w !== f.warp) return false;
  if (f.line >= 0 && lineOf(step) !== f.line) return false;
  if (f.thread >= 0 && (step.w !== f.thread >> 5 || !hasLane(step.e ? eventMask(step) : step.m, f.thread & 31))) return false;
  if (f.array === "") return true;
  if (step.e !== "access") return false;
  const place = placeOf(film, step).place;
  return (place ? place.name : step.s) === f.array;
}

/* The next step in a direction that passes the filters and the test; the one we are at when there is none. */
function seek(by, test) {
  const f = chosen(), list = steps();
  for (let i = at.step + by; i >= 0 && i < list.length; i += by)
    if (passes(list[i], f) && (!test || test(list[i], i))) return i;
  return at.step;
}

const jumps = {
  line: s => lineOf(s) !== lineOf(current()) || fileOf(s) !== fileOf(current()),
  warp: s => s.w !== current().w,
  barrier: s => s.e === "barrier",
  mark: (s, i) => indexOf(at.block).marks.has(i)
};

/* ---- drawing ---- */

function prepare(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1, w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
  }
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, height);
  return c;
}

/* The width that the pictures have, until the window's changes. */
let room = 0;
function roomWide() {
  room = room || Math.max(200, $("pictures").clientWidth);
  return room;
}

/* Where the pointer is, in the picture's own units. */
function pointIn(canvas, event) {
  const r = canvas.getBoundingClientRect(), scale = parseFloat(canvas.style.width) / r.width || 1;
  return [(event.clientX - r.left) * scale, (event.clientY - r.top) * scale];
}

/* The caption and the canvas of a picture, made once; tell: what is said of the place under the pointer. */
const pictures = new Map();
function pictureIn(host, name) {
  const key = host.id + "/" + name;
  if (!pictures.has(key)) {
    const p = { caption: make("figcaption", undefined, "caption"), canvas: make("canvas") }, figure = make("figure"), box = make("div", undefined, "wide");
    p.canvas.setAttribute("role", "img");
    p.canvas.addEventListener("pointermove", e => { p.canvas.title = p.tell ? p.tell(...pointIn(p.canvas, e)) : ""; });
    box.append(p.canvas);
    figure.append(p.caption, box);
    host.append(figure);
    pictures.set(key, p);
  }
  return pictures.get(key);
}

/* The side of a cell: as large as fits beside and below the others. */
function cellSize(across, rows) {
  return Math.max(4, Math.min(14, Math.floor(roomWide() / (across + 1)) - 1, Math.floor(HIGH / rows) - 1));
}

/* Stripes as a tile, made once for each colour. */
const tiles = new Map();
function stripes(c, stroke) {
  if (!tiles.has(stroke)) {
    const tile = make("canvas"), t = tile.getContext("2d");
    tile.width = tile.height = 4;
    t.strokeStyle = stroke;
    t.lineWidth = 1;
    t.beginPath();
    for (const i of [-4, 0, 4]) t.moveTo(i, 4), t.lineTo(i + 4, 0);
    t.stroke();
    tiles.set(stroke, c.createPattern(tile, "repeat"));
  }
  return tiles.get(stroke);
}

function hatch(c, x, y, w, h, stroke) {
  c.fillStyle = stripes(c, stroke);
  c.fillRect(x, y, w, h);
}

/* Each state has a pattern of its own beside its colour. */
function drawState(c, state, lane, x, y, size) {
  const edge = color("--edge");
  c.fillStyle = state === "active" ? laneColor(lane) : color("--cell");
  c.fillRect(x, y, size, size);
  if (state === "barrier" || state === "sync") {
    c.fillStyle = color("--wait");
    c.fillRect(x, y + size * (state === "barrier" ? .6 : .1), size, size * .3);
  } else if (state === "other" || state === "joining") {
    hatch(c, x, y, size, size, color("--elsewhere"));
    if (state === "joining") c.strokeStyle = color("--elsewhere"), c.strokeRect(x + 1.5, y + 1.5, size - 3, size - 3);
  } else if (state === "gone") {
    c.strokeStyle = edge;
    c.beginPath();
    c.moveTo(x, y); c.lineTo(x + size, y + size);
    c.moveTo(x + size, y); c.lineTo(x, y + size);
    c.stroke();
  }
}

const STATE_NAMES = { active: "in this step", other: "elsewhere in the code", joining: "waits where the branch ends", barrier: "waits at the barrier",
  sync: "waits at a warp operation", idle: "its warp is not running now", gone: "has ended" };

function drawKey() {
  const key = $("thread-key");
  key.textContent = "";
  for (const state of Object.keys(STATE_NAMES)) {
    const canvas = make("canvas"), entry = make("span", undefined, "state");
    canvas.setAttribute("aria-hidden", "true");
    drawState(prepare(canvas, 14, 14), state, 16, 0, 0, 14);
    entry.append(canvas, STATE_NAMES[state]);
    key.append(entry, " ");
  }
}

/* The state of each lane of a warp at the current step. */
function statesOf(warp, waiting) {
  const list = steps(), last = lastAtMost(indexOf(at.block).byWarp[warp] || [], at.step);
  const exists = lanesOfWarp(film, warp), states = new Array(WARP).fill(null);
  const step = last < 0 ? null : list[last], now = last === at.step;
  const waits = waiting.reduce((mask, w) => w.warp === warp ? mask | w.lanes : mask, 0);
  for (let lane = 0; lane < WARP; lane++) {
    if (!hasLane(exists, lane)) continue;
    let state = "idle";
    if (step && hasLane(step.g || 0, lane)) state = "gone";
    else if (step && step.e === "exit" && hasLane(eventMask(step), lane) && !now) state = "gone";
    else if (step && step.e === "barrier" && now) state = "active";
    else if (hasLane(waits, lane)) state = "barrier";
    else if (step && now && hasLane(step.e ? eventMask(step) : step.m, lane)) state = "active";
    else if (step && hasLane(step.j || 0, lane)) state = "joining";
    else if (step && hasLane(step.y || 0, lane)) state = "sync";
    else if (step && now) state = "other";
    states[lane] = state;
  }
  return states;
}

function drawThreads() {
  const [nx, ny, nz] = film.block, n = nx * ny * nz, canvas = $("threads");
  const across = Math.min(nx, 64), rows = Math.ceil(nx / across) * ny * nz;
  const size = Math.max(4, Math.min(18, Math.floor((roomWide() - 2) / across) - 1)), pitch = size + 1;
  const grid = new Int16Array(across * rows).fill(-1), c = prepare(canvas, across * pitch + 2, rows * pitch + (nz - 1) * 6 + 2), counts = {};
  const places = [], waiting = waitingAt(film.blocks[at.block], at.step);
  for (let w = 0; w * WARP < n; w++)
    statesOf(w, waiting).forEach((state, lane) => {
      if (!state) return;
      const t = w * WARP + lane, x = t % nx, line = Math.floor(t / nx) * Math.ceil(nx / across) + Math.floor(x / across);
      const px = x % across * pitch + 1, py = line * pitch + Math.floor(t / nx / ny) * 6 + 1;
      counts[state] = (counts[state] || 0) + 1;
      grid[line * across + x % across] = w;
      places.push([w, px, py, lane, x % across, line, state]);
      drawState(c, state, lane, px, py, size);
    });
  outlineWarps(c, places, grid, across, pitch);
  const fault = threadsAtFault();
  c.strokeStyle = color("--finding");
  c.lineWidth = 3;
  for (const [w, x, y, lane] of places) if (fault.has(w * WARP + lane)) c.strokeRect(x + .5, y + .5, size - 1, size - 1);
  canvas.setAttribute("aria-label", "Threads of block " + film.blocks[at.block].index.join(",") + ", " + film.block.join(" x ") + ": " +
    Object.keys(counts).map(s => counts[s] + " " + STATE_NAMES[s]).join(", "));
  canvas.onpointermove = e => {
    const [x, y] = pointIn(canvas, e), found = places.find(p => x >= p[1] && x < p[1] + size && y >= p[2] && y < p[2] + size);
    canvas.title = found ? "thread " + threadName(found[0] * WARP + found[3]) + ": " + STATE_NAMES[found[6]] : "";
  };
}

/* A line between cells of different warps. */
function outlineWarps(c, places, grid, across, pitch) {
  const warpAt = (x, y) => x < 0 || x >= across || y < 0 ? -1 : grid[y * across + x];
  c.fillStyle = color("--ink");
  for (const [w, px, py, , x, y] of places) {
    if (warpAt(x - 1, y) !== w) c.fillRect(px - 1, py - 1, 1, pitch + 1);
    if (warpAt(x + 1, y) !== w) c.fillRect(px + pitch - 1, py - 1, 1, pitch + 1);
    if (warpAt(x, y - 1) !== w) c.fillRect(px - 1, py - 1, pitch + 1, 1);
    if (warpAt(x, y + 1) !== w) c.fillRect(px - 1, py + pitch - 1, pitch + 1, 1);
  }
}

/* [lane, first byte] of an access, from its place's beginning. */
function touched(step, base) {
  const list = lanesOf(eventMask(step)), out = [];
  let i = 0;
  for (const [n, start, stride] of step.r || [])
    for (let k = 0; k < n; k++, i++)
      if (typeof start === "number") out.push([list[i], start + stride * k - base]);
  return out;
}

/* What the block's accesses have stored to a place up to the current step: cells no longer unwritten. */
const writers = new Map();
function writtenBy(name, place, base, each) {
  const key = at.block + "/" + name + "/" + each;
  if (!writers.has(key)) {
    const first = new Map();
    steps().forEach((s, i) => {
      if (s.e !== "access" || s.k === "load" || placeOf(film, s).place !== place) return;
      for (const [, from] of touched(s, base))
        for (let b = from; b < from + s.z; b += each) if (!first.has(Math.floor(b / each))) first.set(Math.floor(b / each), i);
    });
    writers.set(key, first);
  }
  return writers.get(key);
}

/* The steps of the block that touch a place, ascending. */
const visits = new Map();
function visitsOf(place) {
  const key = at.block + "/" + (place.id || "shared " + place.offset);
  if (!visits.has(key)) visits.set(key, steps().flatMap((s, i) => s.e === "access" && placeOf(film, s).place === place ? [i] : []));
  return visits.get(key);
}

/* The first byte that was touched last; 0. */
function lastVisited(place, base) {
  const last = lastAtMost(visitsOf(place), at.step);
  return last < 0 ? 0 : Math.max(0, Math.min(...touched(steps()[last], base).map(([, from]) => from)));
}

/* How an array is drawn: elements a row, the first row and how many. A large one shows what lies around the element `low`, by halves of what there is room for. */
function layoutOf(place, each, low) {
  const total = Math.max(1, Math.floor(place.bytes / each)), shape = place.shape || [];
  let across = shape.length > 1 ? shape[shape.length - 1] : Math.min(32, total);
  across = Math.max(1, Math.min(across, 256));
  const rows = Math.ceil(total / across), most = shape.length > 1 ? Math.max(2, Math.floor(CELLS_MAX / across)) : ROWS_MAX, half = most >> 1;
  const from = rows <= most ? 0 : Math.min(rows - most, Math.floor(Math.floor(low / across) / half) * half);
  return { total, across, rows, from, shown: Math.min(rows, most) };
}

/* Of a volume: the rows shown, counted from the first of them, before which a plane begins. */
function planesOf(place, l) {
  const shape = place.shape || [], last = shape.length - 1, rows = [];
  const high = shape.length > 2 && shape[last] === l.across ? shape[last - 1] : 0;
  for (let row = 1; high && row < l.shown; row++) if ((l.from + row) % high === 0) rows.push(row);
  return rows;
}

/* [lane, first byte from the place's beginning] of a step's threads that miss it by GUARD bytes at most. */
function strays(step, place) {
  if (!step || step.e !== "fault" || !step.z || step.s !== (place.id ? "global" : "shared")) return [];
  const begin = place.id ? Number(place.address) : place.offset, list = lanesOf(eventMask(step)), out = [];
  let i = 0;
  for (const [n, start, stride] of step.r || [])
    for (let k = 0; k < n; k++, i++) out.push([list[i], Number(start) + stride * k - begin]);
  return out.filter(([, from]) => (from < 0 && from >= -GUARD) || (from + step.z > place.bytes && from < place.bytes + GUARD));
}

/* Which of the guard zones before and behind a place are shown: those that some step of the film wants to get at. */
const guards = new Map();
function guardOf(place) {
  if (!guards.has(place)) {
    const g = { before: false, behind: false };
    for (const b of film.blocks) for (const s of b.steps) for (const [, from] of strays(s, place)) g[from < 0 ? "before" : "behind"] = true;
    guards.set(place, g);
  }
  return guards.get(place);
}

/* Does an element lie in the halo: so many elements at each end of each length of its shape? */
function inHalo(place, i) {
  const shape = place.shape || [];
  let rest = i;
  for (let d = shape.length - 1; d >= 0; d--) {
    const along = rest % shape[d];
    if (along < place.halo[d] || along >= shape[d] - place.halo[d]) return true;
    rest = Math.floor(rest / shape[d]);
  }
  return false;
}

/* How an array lies in its picture, with the guard zones at its ends that are in view: the place of an element, also of one before the first. */
function viewOf(place, each, l) {
  const g = guardOf(place), zone = Math.min(l.across, Math.floor(GUARD / each)), end = Math.min(l.total, (l.from + l.shown) * l.across);
  const before = g.before && l.from === 0 ? zone : 0, behind = g.behind && end === l.total ? zone : 0;
  const top = before ? -1 : l.from, rows = Math.ceil((end + behind) / l.across) - top;
  return { before, behind, end, rows, first: l.from * l.across, at: i => [(i - top * l.across) % l.across, Math.floor(i / l.across) - top],
    element: (x, y) => (y + top) * l.across + x, has: i => i >= l.from * l.across - before && i < end + behind };
}

/* What an element was when a step of the block last loaded or stored it: { text, step }; null. */
function lastSeen(place, base, i) {
  for (let k = at.step; k >= 0 && k > at.step - SEEN_MAX; k--) {
    const s = steps()[k];
    if (s.e !== "access" || placeOf(film, s).place !== place) continue;
    const a = accessOf(film, s), which = touched(s, base).findIndex(([, from]) => i * a.each >= from && i * a.each < from + s.z);
    if (which < 0) continue;
    const values = valueList(s, a.type, a.access, a.each);
    return values.length ? { text: values[Math.min(which, values.length - 1)], step: k } : null;
  }
  return null;
}

function tellCell(name, place, base, cells, step, i, total) {
  const who = cells.filter(p => p[0] === i).map(([, lane]) => threadName(step.w * WARP + lane)), seen = i >= 0 && i < total ? lastSeen(place, base, i) : null;
  return name + "[" + i + "]" + (i < 0 || i >= total ? ": outside, in the guard zone" : place.halo && inHalo(place, i) ? " in the halo" : "") +
    (seen ? ": " + seen.text + " in step " + seen.step : "") + (who.length ? "; thread " + who.slice(0, 4).join(" and ") + (who.length > 4 ? " and more" : "") : "");
}

function drawArray(host, name, place, base, step) {
  const mine = step && step.e === "access" && placeOf(film, step).place === place, astray = strays(step, place);
  const each = mine ? accessOf(film, step).each : TYPE_BYTES[place.type] || 4;
  const cellsAt = list => list.flatMap(([lane, from]) => Array.from({ length: Math.max(1, step.z / each) }, (_, i) => [Math.floor(from / each) + i, lane]));
  const cells = mine ? cellsAt(touched(step, base)) : cellsAt(astray);
  const low = cells.length ? Math.max(0, Math.min(...cells.map(c => c[0]))) : Math.floor(lastVisited(place, base) / each);
  const l = layoutOf(place, each, low), v = viewOf(place, each, l), p = pictureIn(host, (place.id || place.offset) + "/" + name);
  const size = cellSize(l.across, v.rows), pitch = size + 1;
  p.canvas.setAttribute("aria-label", name + ": " + l.total + " elements" + (mine ? ", " + cells.length + " of them in this step" : "") +
    (astray.length ? "; " + threads(astray.length) + " of this step " + (astray.length === 1 ? "is" : "are") + " outside of it" : ""));
  const c = prepare(p.canvas, l.across * pitch + 2, v.rows * pitch + 2), stored = writtenBy(name, place, base, each);
  const place2 = i => v.at(i).map(n => n * pitch + 1), never = place.unwritten;
  const isUnwritten = i => (!never || never.some(([a, b]) => i * each >= a && i * each < b)) && !(stored.get(i) <= at.step);
  drawCells(c, 1, place2(v.first)[1], l.across, v.first, v.end, size, isUnwritten);
  drawZones(c, place, l, v, size, place2);
  const planes = planesOf(place, l);
  c.fillStyle = color("--ink");
  for (const row of planes) c.fillRect(1, place2(v.first)[1] + row * pitch - 1, l.across * pitch, 1);
  for (const [i, lane] of cells) {
    if (!v.has(i)) continue;
    const [x, y] = place2(i);
    c.fillStyle = laneColor(lane);
    c.fillRect(x, y, size, size);
    c.strokeStyle = color("--finding");
    c.lineWidth = 2;
    if (i < 0 || i >= l.total) c.strokeRect(x + 1, y + 1, size - 2, size - 2);
  }
  if (mine && step.s === "global") outlineSectors(c, cells, each, v.first, l, pitch, place2);
  const begin = place.id ? Number(place.address) : place.offset;
  const met = metAt(place.id ? "global" : "shared").map(a => Math.floor((a - begin) / each)).filter(v.has);
  for (const i of met) ring(c, ...place2(i), size);
  p.tell = (x, y) => {
    const i = v.element(Math.floor((x - 1) / pitch), Math.floor((y - 1) / pitch));
    return x >= 1 && x < l.across * pitch && v.has(i) ? tellCell(name, place, base, cells, step, i, l.total) : "";
  };
  const shape = place.shape ? ": " + place.shape.join(" x ") + (planes.length ? ", lines between its planes" : "") : "";
  p.caption.textContent = name + " (" + (place.type || each + " bytes each") + ", " + l.total + shape + ")" +
    (l.shown < l.rows ? ", elements " + v.first + " to " + (v.end - 1) : "") + (place.halo && place.shape ? "; framed: its halo" : "") +
    (v.before || v.behind ? "; striped: the guard zone " + [v.before && "before its first", v.behind && "behind its last"].filter(Boolean).join(" and ") + " element" : "") +
    (met.length ? RINGED : "");
}

/* Where findings of this moment say that it happened: addresses, or places in shared memory. */
function metAt(space) {
  return film.findings.filter(f => f.block === at.block && (f.step === at.step || f.other === at.step) && f.finding.address && f.finding.space === space).map(f => Number(f.finding.address));
}

const RINGED = "; ringed: the finding's place";
function ring(c, x, y, size) {
  for (const [name, width] of [["--paper", 5], ["--ink", 2.5]]) {
    c.strokeStyle = color(name);
    c.lineWidth = width;
    c.strokeRect(x - 1, y - 1, size + 2, size + 2);
  }
}

/* Guard zones at an array's ends, and frames round the elements of a halo. */
function drawZones(c, place, l, v, size, place2) {
  for (let i = v.first - v.before; i < v.end + v.behind; i++) {
    const outside = i < v.first || i >= v.end, [x, y] = outside || place.halo ? place2(i) : [0, 0];
    if (outside) hatch(c, x, y, size, size, color("--finding"));
    if (outside || !place.halo || !place.shape || !inHalo(place, i)) continue;
    c.strokeStyle = color("--elsewhere");
    c.lineWidth = 1;
    c.strokeRect(x + .5, y + .5, size - 1, size - 1);
  }
}

/* Cells first to end in rows: all of them, hatched where nobody has written, and the gaps between them. */
function drawCells(c, left, top, across, first, end, size, isUnwritten) {
  const pitch = size + 1, rows = Math.ceil((end - first) / across), rest = (end - first) % across;
  c.fillStyle = color("--cell");
  c.fillRect(left, top, across * pitch, (rest ? rows - 1 : rows) * pitch);
  if (rest) c.fillRect(left, top + (rows - 1) * pitch, rest * pitch, pitch);
  c.fillStyle = stripes(c, color("--edge"));
  for (let i = first; i < end; i++) {
    const row = Math.floor((i - first) / across), x = (i - first) % across, last = Math.min(end, first + (row + 1) * across);
    let n = 0;
    while (i + n < last && isUnwritten(i + n)) n++;
    if (n) c.fillRect(left + x * pitch, top + row * pitch, n * pitch, pitch);
    i += n ? n - 1 : 0;
  }
  c.fillStyle = color("--paper");
  for (let x = 1; x <= across; x++) c.fillRect(left + x * pitch - 1, top, 1, rows * pitch);
  for (let y = 1; y <= rows; y++) c.fillRect(left, top + y * pitch - 1, across * pitch, 1);
}

/* The sectors of 32 bytes that the step touches, as boxes: the fewer, the better. Arrays begin at multiples of 256 bytes. */
function outlineSectors(c, cells, each, first, l, pitch, place2) {
  const sectors = new Set(cells.map(([i]) => Math.floor(i * each / SECTOR)));
  c.strokeStyle = color("--finding");
  c.lineWidth = pitch > 8 ? 2 : 1;
  for (const s of sectors) {
    const from = Math.max(first, Math.floor(s * SECTOR / each)), to = Math.min(l.total, Math.ceil((s + 1) * SECTOR / each)) - 1;
    for (let i = from; i <= to;) {
      const end = Math.min(to, i + l.across - 1 - (i - first) % l.across), [x, y] = place2(i);
      if (i >= first && i < first + l.shown * l.across) c.strokeRect(x, y, (end - i + 1) * pitch - 1, pitch - 1);
      i = end + 1;
    }
  }
}

/* Shared memory: a column for each bank, a row of 128 bytes; the words that the step wants of a bank are stacked above. */
function drawShared(step) {
  const host = $("shared");
  if (!film.shared_bytes) return;
  const mine = step && step.e === "access" && step.s === "shared";
  const words = mine ? touched(step, 0).flatMap(([lane, from]) => Array.from({ length: Math.max(1, Math.ceil(step.z / 4)) }, (_, i) => [Math.floor(from / 4) + i, lane])) : [];
  const inBank = Array.from({ length: BANKS }, () => new Set());
  words.forEach(([w]) => inBank[w % BANKS].add(w));
  const tallest = Math.max(0, ...inBank.map(s => s.size)), rows = Math.ceil(film.shared_bytes / 128), shown = Math.min(rows, 64);
  const lowest = words.length ? Math.min(...words.map(p => p[0])) : 0, from = rows <= shown ? 0 : Math.min(rows - shown, Math.floor(lowest / BANKS));
  const { caption, canvas } = pictureIn(host, "banks"), size = cellSize(BANKS, shown), pitch = size + 1;
  const stack = 40, word = 36 / BANKS;
  canvas.setAttribute("aria-label", "Banks of shared memory" + (mine ? ": the busiest gives " + tallest + " words in this step" : ""));
  const c = prepare(canvas, BANKS * pitch + 2, stack + shown * pitch + 2);
  inBank.forEach((set, bank) => {
    c.fillStyle = set.size > 1 ? color("--finding") : color("--accent");
    c.fillRect(bank * pitch + 1, stack - 2 - Math.max(2, set.size * word) * Math.min(1, set.size), size, Math.max(2, set.size * word) * Math.min(1, set.size));
  });
  const stored = sharedWriters();
  drawCells(c, 1, stack, BANKS, from * BANKS, Math.min((from + shown) * BANKS, Math.ceil(film.shared_bytes / 4)), size, w => !(stored.get(w) <= at.step));
  for (const [w, lane] of words) {
    if (w < from * BANKS || w >= (from + shown) * BANKS) continue;
    c.fillStyle = laneColor(lane);
    c.fillRect(w % BANKS * pitch + 1, stack + (Math.floor(w / BANKS) - from) * pitch, size, size);
  }
  const met = metAt("shared").map(a => Math.floor(a / 4)).filter(w => w >= from * BANKS && w < (from + shown) * BANKS);
  for (const w of met) ring(c, w % BANKS * pitch + 1, stack + (Math.floor(w / BANKS) - from) * pitch, size);
  caption.textContent = "Shared memory: a column for each of the 32 banks, 4 bytes a cell" + (met.length ? RINGED : "") + (mine ? "; " + step.p + (step.p === 1 ? " pass" : " passes") +
    (step.p > step.q ? " where " + step.q + " would do" : "") : "") + (shown < rows ? "; bytes from " + from * 128 : "");
}

function sharedWriters() {
  const key = at.block + "//shared";
  if (!writers.has(key)) {
    const first = new Map();
    steps().forEach((s, i) => {
      if (s.e !== "access" || s.s !== "shared" || s.k === "load") return;
      for (const [, from] of touched(s, 0)) for (let b = from; b < from + s.z; b += 4) if (!first.has(b >> 2)) first.set(b >> 2, i);
    });
    writers.set(key, first);
  }
  return writers.get(key);
}

function drawMemory(step) {
  const host = $("arrays");
  for (const a of film.arrays) drawArray(host, a.name, a, 0, step);
  for (const s of film.shared) if (s.shape) drawArray(host, s.name + " in shared memory", s, s.offset, step);
  drawShared(step);
}

/* ---- tables ---- */

function threadName(linear) {
  const [x, y] = film.block;
  return linear % x + "," + Math.floor(linear / x) % y + "," + Math.floor(linear / x / y);
}

/* What a lane of a fault wanted: an element of the array that it missed by little, else an address. */
function wantedBy(step) {
  const names = new Map(), list = lanesOf(eventMask(step));
  for (const place of [...film.arrays, ...film.shared]) {
    const each = TYPE_BYTES[place.type] || step.z;
    for (const [lane, from] of strays(step, place)) names.set(lane, place.name + "[" + indexText(from, each) + "]");
  }
  const addresses = (step.r || []).flatMap(([n, start, stride]) => Array.from({ length: n }, (_, k) => "0x" + (Number(start) + stride * k).toString(16)));
  return list.map((lane, i) => names.get(lane) || addresses[i] || "");
}

/* Of each lane of the event: its place, or whom it gets a value of. */
function placesOf(step, a) {
  if (step.e === "shuffle") return step.r.map(([, from]) => "lane " + from);
  if (step.e === "fault") return wantedBy(step);
  return touched(step, a.base).map(([, from]) => a.name === null ? "0x" + from.toString(16) : a.name + "[" + indexText(from, a.each) + "]");
}

function drawValues(step) {
  const host = $("values"), shuffle = step.e === "shuffle", access = step.e === "access";
  host.textContent = "";
  if (!shuffle && !access && !(step.e === "fault" && step.r)) {
    host.append(make("p", "This step has no access and no shuffle."));
    return;
  }
  const table = make("table"), head = table.createTHead().insertRow(), body = table.createTBody();
  for (const t of ["Thread", shuffle ? "Gets the value of" : "Place", "Value"]) {
    const th = make("th", t);
    th.scope = "col";
    head.append(th);
  }
  const a = accessOf(film, step), where = placesOf(step, a);
  const values = access ? valueList(step, a.type, a.access, a.each) : shuffle ? valueList(step, film.insts[step.i].type, 4, 4) : [];
  lanesOf(eventMask(step)).forEach((lane, i) => {
    const row = body.insertRow();
    row.insertCell().textContent = threadName(step.w * WARP + lane) + " (lane " + lane + ")";
    row.insertCell().textContent = where[i] || "";
    row.insertCell().textContent = values.length ? values[Math.min(i, values.length - 1)] : "";
  });
  host.append(table);
}

function heatOf(line, kind) {
  if (kind !== "lost") return line[kind];
  return line.warp_instructions ? 100 - 100 * line.thread_instructions / (32 * line.warp_instructions) : 0;
}

function drawSource(file) {
  const host = $("source"), source = film.sources.find(s => s.file === file), kind = $("heat").value, table = make("table"), body = table.createTBody();
  const lines = new Map(film.lines.filter(l => l.file === file).map(l => [l.line, l]));
  const most = Math.max(1e-9, ...[...lines.values()].map(l => heatOf(l, kind)));
  host.textContent = "";
  host.dataset.file = file;
  const head = table.createTHead().insertRow();
  for (const t of ["Line", $("heat").selectedOptions[0].textContent, "Source"]) {
    const th = make("th", t);
    th.scope = "col";
    head.append(th);
  }
  const text = source && source.text.length ? source.text : [...lines.keys()].reduce((list, n) => { list[n - 1] = ""; return list; }, []);
  for (let i = 0; i < text.length; i++) {
    const row = body.insertRow(), l = lines.get(i + 1), heat = l ? heatOf(l, kind) : 0;
    row.dataset.line = i + 1;
    const number = row.insertCell(), cell = row.insertCell();
    number.className = "n";
    number.textContent = i + 1;
    cell.className = "h bar";
    cell.textContent = l ? (kind === "lost" ? Math.round(heat) + "%" : heat) : "";
    cell.style.setProperty("--share", Math.round(100 * heat / most) + "%");
    row.insertCell().textContent = text[i] || "";
  }
  host.append(table);
}

/* The lines about the current one are those that are printed. */
const NEAR = 12;
function markLine(step) {
  const host = $("source");
  if (host.dataset.file !== fileOf(step) && film.sources.some(s => s.file === fileOf(step))) {
    $("file").value = fileOf(step);
    drawSource(fileOf(step));
  }
  for (const row of host.querySelectorAll("tr.near")) row.className = "", row.removeAttribute("aria-current");
  const row = host.dataset.file === fileOf(step) ? host.querySelector("tr[data-line='" + lineOf(step) + "']") : null;
  if (!row) return;
  for (const near of [...row.parentElement.rows].slice(Math.max(0, row.sectionRowIndex - NEAR), row.sectionRowIndex + NEAR + 1)) near.className = "near";
  row.className = "near now";
  row.setAttribute("aria-current", "true");
  const top = row.offsetTop - host.clientHeight / 2;
  if (row.offsetTop < host.scrollTop + 40 || row.offsetTop > host.scrollTop + host.clientHeight - 40) host.scrollTop = top;
}

function drawMarks() {
  const canvas = $("marks"), width = canvas.parentElement.clientWidth, c = prepare(canvas, width, 10), n = Math.max(1, steps().length - 1);
  const looks = { barrier: [color("--wait"), 4], part: [color("--elsewhere"), 6], finding: [color("--finding"), 10] };
  for (const [i, kind] of indexOf(at.block).marks) {
    c.fillStyle = looks[kind][0];
    c.fillRect(8 + i / n * (width - 18), 10 - looks[kind][1], 2, looks[kind][1]);
  }
}

/* ---- the moment ---- */

/* Of the findings of this moment: who, where, what would mend it, and what the other thread does in its own step. */
function explainMoment() {
  const texts = film.findings.filter(f => f.block === at.block && (f.step === at.step || f.other === at.step)).map(f => {
    const other = f.other < 0 ? -1 : f.step === at.step ? f.other : f.step;
    return f.finding.kind + ": " + (f.finding.thread ? partiesOf(f.finding) + ". " : "") + (f.finding.hint ? "Hint: " + f.finding.hint : "") +
      (other < 0 ? "" : ". The other access is step " + other + ": " + sentenceAt(film, film.blocks[at.block], other) + ".");
  });
  $("note").textContent = texts.join(" ");
}

function show(step, quiet) {
  const list = steps();
  if (!list.length) return;
  at.step = Math.max(0, Math.min(list.length - 1, step));
  const s = current();
  $("slider").value = at.step;
  $("slider").setAttribute("aria-valuetext", "step " + at.step + " of " + (list.length - 1));
  $("position").textContent = "Step " + at.step + " of " + (list.length - 1) + ", block " + film.blocks[at.block].index.join(",");
  const text = sentenceAt(film, film.blocks[at.block], at.step);
  if ($("sentence").textContent !== text) $("sentence").textContent = text;
  explainMoment();
  markLine(s);
  drawThreads();
  drawMemory(s);
  drawValues(s);
  drawHeld(s);
  if (!quiet) remember();
}

/* The slider may move faster than frames are drawn. */
let frame = 0;
function scrub() {
  if (!frame) frame = requestAnimationFrame(() => { frame = 0; show(Number($("slider").value)); });
}

/* The address bar follows when the moment stays for a while. */
let remembering = 0;
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(() => history.replaceState(null, "", "#block=" + film.blocks[at.block].linear + "&step=" + at.step), 200);
}

function setBlock(block, step) {
  at.block = block;
  $("block").value = block;
  $("slider").max = Math.max(0, steps().length - 1);
  const b = film.blocks[block];
  $("note").textContent = "";
  $("launch").textContent = headline() + " " + leftOut(film) + (b.seen > b.kept ? " This block: " + leftOutOf(b) + "." : "");
  drawMarks();
  show(step);
  countPassing();
}

function headline() {
  const c = film.counters;
  return "Launch " + film.launch + ", grid " + film.grid.join(" x ") + ", block " + film.block.join(" x ") + ". The whole launch: " + c.warp_instructions +
    " instructions of warps, " + c.global_load_sectors + " sectors loaded and " + c.global_store_sectors + " stored, " + c.shared_bank_conflicts +
    " bank conflicts, " + c.divergent_branches + " branches that parted warps, " + c.barriers + " barriers.";
}

function countPassing() {
  const f = chosen(), list = steps();
  $("f-count").textContent = list.filter(s => passes(s, f)).length + " of " + list.length + " steps";
}

function pause() {
  clearInterval(at.playing);
  at.playing = 0;
  $("play").setAttribute("aria-pressed", "false");
  $("play").textContent = "Play";
  $("sentence").setAttribute("aria-live", "polite");
}

function play() {
  if (at.playing) return pause();
  $("play").setAttribute("aria-pressed", "true");
  $("play").textContent = "Pause";
  $("sentence").setAttribute("aria-live", "off"); /* nobody can listen that fast */
  at.playing = setInterval(() => {
    const next = seek(1);
    if (next === at.step) pause(); else show(next);
  }, 1000 / Number($("speed").value));
}

function readHash() {
  const h = new URLSearchParams(location.hash.slice(1)), linear = h.get("block"), step = Number(h.get("step"));
  const block = linear === null ? at.block : film.blocks.findIndex(b => b.linear === Number(linear));
  if (h.get("step") !== null && block >= 0 && Number.isInteger(step)) setBlock(block, step);
}

/* ---- the page ---- */

function addOptions(select, pairs) {
  for (const [value, text] of pairs) {
    const o = make("option", text);
    o.value = value;
    select.append(o);
  }
}

/* Who did what: of a race both. */
function partiesOf(d) {
  const party = (access, thread, block, line) => (access || "access") + " by thread " + thread.join(",") + " of block " + block.join(",") + (line ? " at line " + line : "");
  const o = d.other;
  return party(d.access, d.thread, d.block, d.line) + (o && o.thread ? "; " + party(o.access, o.thread, o.block || d.block, o.line) : "");
}

/* The threads of the findings of this moment, by linear index. */
function threadsAtFault() {
  const linear = t => t[0] + film.block[0] * (t[1] + film.block[1] * t[2]), out = new Set();
  for (const f of film.findings) {
    if (f.block !== at.block || (f.step !== at.step && f.other !== at.step)) continue;
    if (f.finding.thread) out.add(linear(f.finding.thread));
    if (f.finding.other && f.finding.other.thread && f.other >= 0) out.add(linear(f.finding.other.thread));
  }
  return out;
}

/* What would show a finding that the film does not. */
function missing(d) {
  const [x, y] = film.grid, b = d.block;
  return "Its moment is not in this film" + (b ? ": --film-blocks=" + (b[0] + x * (b[1] + y * b[2])) + " (of make show: BLOCKS=) shows its block." : ".");
}

function addFindings() {
  for (const f of film.findings) {
    const box = make("div", undefined, "finding"), d = f.finding;
    box.append(make("p", d.kind + (d.line ? " at line " + d.line : "") + ": " + d.message));
    if (f.step < 0 && d.thread) box.append(make("p", partiesOf(d)));
    if (f.step < 0 && d.hint) box.append(make("p", d.hint));
    const row = make("div", undefined, "row");
    const go = (step, text) => {
      const b = make("button", text);
      b.type = "button";
      b.addEventListener("click", () => { pause(); setBlock(f.block, step); });
      row.append(b);
    };
    if (f.block >= 0 && f.step >= 0) go(f.step, "Go to the finding: block " + film.blocks[f.block].index.join(",") + ", step " + f.step);
    if (f.block >= 0 && f.other >= 0) go(f.other, "The other thread: step " + f.other);
    if (!row.children.length) row.append(make("p", missing(d)));
    box.append(row);
    $("findings").append(box);
  }
}

function setUp() {
  $("title").textContent = "Film of " + film.kernel;
  addOptions($("block"), film.blocks.map((b, i) => [i, b.index.join(",") + " (" + b.steps.length + " steps)"]));
  addOptions($("file"), film.sources.map(s => [s.file, fileName(s.file)]));
  addOptions($("f-warp"), Array.from({ length: Math.ceil(film.block[0] * film.block[1] * film.block[2] / WARP) }, (_, i) => [i, i]));
  addOptions($("f-line"), [...new Set(film.lines.map(l => l.line))].map(n => [n, n]));
  addOptions($("f-array"), [...new Set([...film.arrays, ...film.shared].map(a => a.name))].map(n => [n, n]));
  $("f-thread").max = film.block[0] * film.block[1] * film.block[2] - 1;
  $("h-thread").max = $("f-thread").max;
  $("held-part").hidden = !film.held.length;
  $("h-thread").addEventListener("input", () => drawHeld(current()));
  addFindings();
  drawKey();
  if (film.sources.length) drawSource(film.sources[0].file);
  $("block").addEventListener("change", () => { pause(); setBlock(Number($("block").value), 0); });
  $("slider").addEventListener("input", () => { pause(); scrub(); });
  $("first").addEventListener("click", () => { pause(); show(0); });
  $("last").addEventListener("click", () => { pause(); show(steps().length - 1); });
  $("back").addEventListener("click", () => { pause(); show(seek(-1)); });
  $("next").addEventListener("click", () => { pause(); show(seek(1)); });
  $("play").addEventListener("click", play);
  $("speed").addEventListener("change", () => { if (at.playing) pause(), play(); });
  for (const b of document.querySelectorAll("[data-jump]"))
    b.addEventListener("click", () => {
      const name = b.dataset.jump.replace("-", "");
      pause();
      show(seek(b.dataset.jump[0] === "-" ? -1 : 1, jumps[name]));
    });
  $("file").addEventListener("change", () => drawSource($("file").value));
  $("heat").addEventListener("change", () => { drawSource($("file").value); if (current()) markLine(current()); });
  for (const id of ["f-thread", "f-warp", "f-line", "f-array"]) $(id).addEventListener("input", countPassing);
  $("f-none").addEventListener("click", () => {
    for (const id of ["f-thread", "f-warp", "f-line", "f-array"]) $(id).value = "";
    countPassing();
  });
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", readHash);
  window.addEventListener("resize", redraw);
  // What gets the focus is not below what stays in place at the top (WCAG 2.4.11).
  new ResizeObserver(() => { document.documentElement.style.scrollPaddingTop = `${$("time").offsetHeight}px`; }).observe($("time"));
  for (const query of ["(prefers-color-scheme: dark)", "print"]) window.matchMedia(query).addEventListener("change", redraw);
}

function redraw() {
  colors.clear();
  tiles.clear();
  room = 0;
  drawKey();
  drawMarks();
  show(at.step, true);
}

function onKey(event) {
  const keys = { ArrowRight: () => show(seek(1)), ArrowLeft: () => show(seek(-1)), PageDown: () => show(seek(1, jumps.mark)), PageUp: () => show(seek(-1, jumps.mark)),
    Home: () => show(0), End: () => show(steps().length - 1), " ": play };
  const own = event.target.closest("input, select, button, summary, [tabindex]");
  if (own || event.ctrlKey || event.altKey || event.metaKey || !keys[event.key]) return;
  event.preventDefault();
  if (event.key !== " ") pause();
  keys[event.key]();
}

setUp();
if (film.blocks.length) {
  const start = film.findings.find(f => f.block >= 0 && f.step >= 0);
  setBlock(start ? start.block : 0, start ? start.step : 0);
  readHash();
} else {
  $("sentence").textContent = "This film shows no block.";
}
