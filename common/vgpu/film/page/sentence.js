"use strict";
/* What a step does, as a sentence: the same as `vgpu --film=FILE.txt` writes (common/vgpu/tool/film_text.c; a test compares them). */

const TYPE_BYTES = { f32: 4, f64: 8, f16: 2, s8: 1, u8: 1, s16: 2, u16: 2, s32: 4, u32: 4, s64: 8, u64: 8 };
const RUNS_SHOWN = 3, GIVERS_SHOWN = 4, VALUES_SHOWN = 4;

function popcount(mask) {
  let n = 0;
  for (let m = mask >>> 0; m; m &= m - 1) n++;
  return n;
}

function hasLane(mask, lane) {
  return (mask >>> lane & 1) === 1;
}

function fileName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

function mainSource(film) {
  return film.sources.length ? film.sources[0].file : "";
}

function threads(n) {
  return n === 1 ? "1 thread" : n + " threads";
}

function lanesOfWarp(film, warp) {
  const left = film.block[0] * film.block[1] * film.block[2] - warp * 32;
  return left >= 32 ? 0xFFFFFFFF : 2 ** left - 1;
}

function numberList(mask) {
  const parts = [];
  for (let lane = 0; lane < 32; lane++) {
    if (!hasLane(mask, lane)) continue;
    let last = lane;
    while (last < 31 && hasLane(mask, last + 1)) last++;
    parts.push(last > lane ? lane + "-" + last : String(lane));
    lane = last;
  }
  return parts.join(", ");
}

/* "lanes 0-7, 12", "lane 3". */
function numbersText(one, mask) {
  return one + (popcount(mask) > 1 ? "s " : " ") + numberList(mask);
}

function lanesText(film, step, mask) {
  const live = (lanesOfWarp(film, step.w) & ~(step.g || 0)) >>> 0;
  if (mask === live || mask === 0) return "";
  return " (" + numbersText("lane", mask) + ")";
}

/* As C's %.6g. */
function real(v) {
  if (Number.isNaN(v)) return "nan";
  if (!Number.isFinite(v)) return v > 0 ? "inf" : "-inf";
  if (v === 0) return Object.is(v, -0) ? "-0" : "0";
  const [digits, exponent] = sixDigits(Math.abs(v)), sign = v < 0 ? "-" : "";
  const tidy = text => text.includes(".") ? text.replace(/\.?0*$/, "") : text;
  if (exponent < -4 || exponent >= 6) {
    const size = Math.abs(exponent);
    return sign + tidy(digits[0] + "." + digits.slice(1)) + "e" + (exponent < 0 ? "-" : "+") + (size < 10 ? "0" + size : size);
  }
  if (exponent < 0) return sign + tidy("0." + "0".repeat(-exponent - 1) + digits);
  return sign + tidy(digits.slice(0, exponent + 1) + "." + digits.slice(exponent + 1));
}

/* The six digits of v, and its power of ten. What lies half way goes to the even digit, as in C. */
function sixDigits(v) {
  const [exact, power] = v.toExponential(60).split("e"), all = exact.replace(".", "");
  const tie = /^50*$/.test(all.slice(6)) && Number(all[5]) % 2 === 0;
  if (tie) return [all.slice(0, 6), Number(power)];
  const [mantissa, rounded] = v.toExponential(5).split("e");
  return [mantissa.replace(".", ""), Number(rounded)];
}

function halfValue(h) {
  const exponent = h >> 10 & 31, mantissa = h & 1023;
  const v = exponent === 31 ? (mantissa ? NaN : Infinity) : exponent ? (mantissa + 1024) * 2 ** (exponent - 25) : mantissa * 2 ** -24;
  return h >> 15 ? -v : v;
}

function element(type, view, at, bytes) {
  if (type[0] === "f" && bytes === 4) return real(view.getFloat32(at, true));
  if (type[0] === "f" && bytes === 8) return real(view.getFloat64(at, true));
  if (type[0] === "f" && bytes === 2) return real(halfValue(view.getUint16(at, true)));
  let u = 0n;
  for (let i = Math.min(bytes, 8) - 1; i >= 0; i--) u = u << 8n | BigInt(view.getUint8(at + i));
  return String(type[0] === "s" ? BigInt.asIntN(8 * Math.min(bytes, 8), u) : u);
}

function elementBytes(type, access, vector) {
  const bytes = TYPE_BYTES[type] || 0;
  if (bytes && access % bytes === 0) return bytes;
  return vector > 0 && access % vector === 0 ? access / vector : access;
}

function bytesOf(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new DataView(bytes.buffer);
}

/* One text a value. */
function valueList(step, type, access, each) {
  if (!step.v || !access) return [];
  const view = bytesOf(step.v), list = [];
  for (let at = 0; at + access <= view.byteLength; at += access) {
    if (!each || each >= access) {
      list.push(element(type, view, at, access));
      continue;
    }
    const parts = [];
    for (let i = 0; i + each <= access; i += each) parts.push(element(type, view, at + i, each));
    list.push("(" + parts.join(", ") + ")");
  }
  return list;
}

function valuesText(list) {
  if (!list.length) return "";
  if (list.length <= VALUES_SHOWN) return ": " + list.join(", ");
  return ": " + list.slice(0, VALUES_SHOWN - 1).join(", ") + ", ... " + list[list.length - 1];
}

/* What an access is to: an array, a shared variable, or undefined; base is where that begins. */
function placeOf(film, step) {
  if (step.s !== "shared") return { place: step.a ? film.arrays.find(a => a.id === step.a) : undefined, base: 0 };
  const first = step.r && step.r.length ? step.r[0][1] : 0;
  const place = film.shared.find(s => first >= s.offset && first < s.offset + s.bytes);
  return { place, base: place ? place.offset : 0 };
}

/* How an access sees its place: name, base, element's type and bytes. */
function accessOf(film, step) {
  const { place, base } = placeOf(film, step), inst = film.insts[step.i], access = step.z || 0;
  const declared = place && TYPE_BYTES[place.type] && access % TYPE_BYTES[place.type] === 0;
  const type = declared ? place.type : inst.type;
  const name = place ? place.name : step.s === "global" ? null : step.s;
  return { place, base, name, type, access, each: elementBytes(type, access, inst.vector) || 1 };
}

function indexText(bytes, each) {
  return bytes % each === 0 ? String(bytes / each) : "byte " + bytes;
}

function plain(text) {
  return text.replace(/[\u0000-\u001f\u007f]/g, "?");
}

function run(a, r) {
  const [n, start, stride] = r;
  if (typeof start === "string") return "address " + start;
  if (a.name === null) return "address 0x" + start.toString(16);
  const first = start - a.base, last = first + stride * (n - 1), forward = stride === a.access;
  let text = plain(a.name) + "[" + indexText(first, a.each);
  if (n === 1 || stride === 0) {
    if (a.access > a.each) text += ".." + indexText(first + a.access - a.each, a.each);
  } else {
    text += ".." + indexText(forward ? last + a.access - a.each : last, a.each);
    if (!forward) text += " by " + indexText(stride, a.each);
  }
  return text + "]";
}

function placesText(a, runs) {
  let text = "";
  runs.slice(0, RUNS_SHOWN).forEach((r, i) => { text += (i ? ", " : " ") + run(a, r); });
  const more = runs.length - RUNS_SHOWN;
  return more > 0 ? text + " and " + more + (more === 1 ? " more place" : " more places") : text;
}

function accessText(film, step, n) {
  const a = accessOf(film, step), s = n === 1 ? "s" : "";
  let text = step.k === "load" ? " load" + s : step.k === "store" ? " store" + s : " change" + s + " atomically";
  text += placesText(a, step.r || []);
  if (step.d) text += " by an asynchronous copy";
  text += valuesText(valueList(step, a.type, a.access, a.each));
  if (step.c) text += "; " + step.c + " sector" + (step.c === 1 ? "" : "s");
  if (step.p) text += "; " + step.p + " pass" + (step.p === 1 ? "" : "es");
  if ((step.p || 0) > (step.q || 0)) text += " where " + (step.q || 0) + " would do: bank conflicts";
  return text;
}

function lanesOf(mask) {
  const list = [];
  for (let lane = 0; lane < 32; lane++) if (hasLane(mask, lane)) list.push(lane);
  return list;
}

function shuffleText(step, mask) {
  const list = lanesOf(mask), runs = step.r || [];
  let text = " shuffle";
  runs.slice(0, GIVERS_SHOWN).forEach((r, i) => {
    text += i === 0 ? ": lane " + list[i] + " gets lane " + r[1] + "'s value" : ", " + list[i] + " gets " + r[1] + "'s";
  });
  return runs.length > GIVERS_SHOWN ? text + ", ..." : text;
}

function arriveText(step, n) {
  const come = step.A || 0;
  if (step.d) return (n === 1 ? " arrives at the barrier and goes on; " : " arrive at the barrier and go on; ") + come + " of the block have come there";
  return " at the barrier; " + come + (come === 1 ? " of the block waits there" : " of the block wait there");
}

function eventText(film, step, mask) {
  if (step.e === "barrier") return "the barrier has all its threads, and they go on";
  const n = popcount(mask);
  const who = threads(n) + lanesText(film, step, mask);
  switch (step.e) {
  case "access": return who + accessText(film, step, n);
  case "arrive": return who + arriveText(step, n);
  case "shuffle": return who + shuffleText(step, mask);
  case "warp-sync": return who + " of the warp meet";
  case "fence": return who + " at a memory fence";
  case "exit": return who + (n === 1 ? " ends" : " end");
  default: return who + " at fault" + (step.r && step.r.length ? ":" + placesText(accessOf(film, step), step.r) : "");
  }
}

function restText(step) {
  let text = "";
  if (step.o) text += "; " + threads(popcount(step.o)) + " elsewhere in the code";
  for (const [mask, where] of [[step.j, "where the branch ends"], [step.y, "at a warp operation"]])
    if (mask) text += "; " + threads(popcount(mask)) + (popcount(mask) > 1 ? " wait " : " waits ") + where;
  return text;
}

function whereOf(film, inst) {
  if (!inst.line) return "PTX line " + (inst.ptx || 0);
  return "line " + inst.line + (inst.file === mainSource(film) ? "" : " of " + plain(fileName(inst.file)));
}

function eventMask(step) {
  return step.x === undefined ? step.m : step.x;
}

/* ---- who waits at barriers ---- */

/* The next step of a block changes a list of { inst, warp, lanes }. */
function waitStep(list, step) {
  for (const [inst, warp, lanes] of step.u || []) {
    for (let i = list.length - 1; i >= 0; i--) if (list[i].inst === inst && (warp === undefined || list[i].warp === warp)) list.splice(i, 1);
    if (lanes) list.push({ inst, warp, lanes });
  }
}

/* Lists are kept of every so many changes, for those who go to any step. */
const CHANGES = 64, waitLists = new Map();
function waitsOf(block) {
  if (!waitLists.has(block)) {
    const changes = [], lists = [[]], list = [];
    block.steps.forEach((s, i) => {
      if (!s.u) return;
      waitStep(list, s);
      changes.push(i);
      if (changes.length % CHANGES === 0) lists.push([...list]);
    });
    waitLists.set(block, { changes, lists });
  }
  return waitLists.get(block);
}

/* Who waits when a step is done. */
function waitingAt(block, step) {
  const { changes, lists } = waitsOf(block);
  let low = 0, high = changes.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (changes[middle] <= step) low = middle + 1; else high = middle;
  }
  const kept = Math.floor(low / CHANGES), list = [...lists[kept]];
  for (let i = kept * CHANGES; i < low; i++) waitStep(list, block.steps[changes[i]]);
  return list;
}

function sameLine(a, b) {
  return (a.line || 0) === (b.line || 0) && (a.file || "") === (b.file || "") && (a.line ? true : a.ptx === b.ptx);
}

/* Of each line once. Of a step that comes to one it says itself how many are there. */
function waitingText(film, step, waiting) {
  const own = step.e === "arrive" ? film.insts[step.i] : null;
  let text = "";
  waiting.forEach((w, i) => {
    const inst = film.insts[w.inst], all = waiting.filter(other => sameLine(film.insts[other.inst], inst));
    if (waiting.indexOf(all[0]) !== i || (own && sameLine(own, inst))) return;
    const n = all.reduce((sum, other) => sum + popcount(other.lanes), 0), warps = all.reduce((mask, other) => mask | 1 << other.warp, 0) >>> 0;
    text += "; " + threads(n) + numbersText(" of warp", warps) + (n === 1 ? " waits" : " wait") + " at the barrier of " + whereOf(film, inst);
  });
  return text;
}

/* What a step does, and who waits when it is done. */
function sentence(film, step, waiting) {
  const n = step.n || 0;
  const what = step.e ? eventText(film, step, eventMask(step))
    : threads(popcount(step.m)) + lanesText(film, step, step.m) + ": " + n + " instruction" + (n === 1 ? "" : "s");
  return "warp " + step.w + ", " + whereOf(film, film.insts[step.i]) + ": " + what + restText(step) + waitingText(film, step, waiting) +
    (step.t ? " [time " + (step.t + 1) + " here]" : "");
}

function sentenceAt(film, block, step) {
  return sentence(film, block.steps[step], waitingAt(block, step));
}

/* ---- what is left out ---- */

function nth(n) {
  const end = n % 100 >= 11 && n % 100 <= 13 ? "th" : ["th", "st", "nd", "rd"][n % 10] || "th";
  return n + end;
}

/* What of the launch its steps do not show. The totals count all of it. */
function leftOut(film) {
  const sum = name => film.blocks.reduce((all, b) => all + b[name], 0), blocks = film.grid.reduce((a, b) => a * b), seen = sum("seen"), kept = sum("kept");
  const shown = film.blocks.length + " of " + blocks + (blocks === 1 ? " block, " : " blocks, ") + (seen > kept ? kept + " of " + seen + " steps of these, " : "");
  const all = film.blocks.length === blocks && seen === kept;
  return (all ? "All of it is shown, step by step." : "Shown of it: " + shown + sum("shown") + " of " + film.counters.warp_instructions + " instructions of warps.") +
    (film.more_arrays ? " Of " + film.more_arrays + " more allocations no names are known." : "") + (film.more_lines ? " The table leaves out " + film.more_lines + " lines." : "");
}

/* Of one block. */
function leftOutOf(block) {
  if (block.seen === block.kept) return block.seen + " steps";
  return block.kept + " of " + block.seen + " steps: of each instruction every " + nth(block.every) + " time that a warp comes by it, the first one always; " +
    block.shown + " of " + block.instructions + " instructions of warps are in these steps" + (block.cut ? "; and the film ends before the block does" : "");
}
