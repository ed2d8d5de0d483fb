// A worker of the V8 engine: reads requests on stdin, answers on stdout, until stdin ends.
// The frames are described in protocol.py.
import fs from 'node:fs';
import vm from 'node:vm';
import { Worker } from 'node:worker_threads';

const CACHED_PATTERNS = 256;
const LEAVING_BYTES = 256 * 2 ** 20;
const LARGEST_MESSAGE = 2000;
const ORPHAN_MILLISECONDS = 2000;
const NO_POSITION = 0xffffffff;
const REQUEST_HEADER = 12;

process.on('SIGINT', () => {});

// V8 compiles without looking at any clock, and Node cannot arm the kernel's: a second thread
// ends the process when one evaluation lasts too long (the counter is odd while one runs). The
// supervisor does so much sooner, unless it is gone.
const counter = new Int32Array(new SharedArrayBuffer(4));
new Worker(`
  const { workerData: { counter, limit } } = require('node:worker_threads');
  for (;;) {
    const seen = Atomics.load(counter, 0);
    const late = Atomics.wait(counter, 0, seen, seen % 2 ? limit : Infinity) === 'timed-out';
    if (late) process.kill(process.pid, 'SIGKILL');
  }
`, { eval: true, workerData: { counter, limit: ORPHAN_MILLISECONDS } }).unref();

const pause = new Int32Array(new SharedArrayBuffer(4));

function tick() {
  Atomics.add(counter, 0, 1);
  Atomics.notify(counter, 0);
}

function readExactly(length) {
  const buffer = Buffer.alloc(length);
  for (let filled = 0; filled < length;) {
    const count = fs.readSync(0, buffer, filled, length - filled, null);
    if (count === 0) return null;
    filled += count;
  }
  return buffer;
}

function answer(status, payload, leaving) {
  const frame = Buffer.alloc(6 + payload.length);
  frame.writeUInt8(status.charCodeAt(0), 0);
  frame.writeUInt8(leaving ? 1 : 0, 1);
  frame.writeUInt32LE(payload.length, 2);
  payload.copy(frame, 6);
  for (let sent = 0; sent < frame.length;) {
    try {
      sent += fs.writeSync(1, frame, sent);
    } catch (error) {
      // Node makes its pipes non-blocking: a long answer waits until some of it was read.
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

const compiled = new Map();

function expressionOf(pattern, flags) {
  const key = `${flags}/${pattern}`;
  let expression = compiled.get(key);
  if (expression === undefined) {
    // d makes the engine tell where the groups are; it changes no answer.
    expression = new RegExp(pattern, flags.includes('d') ? flags : `${flags}d`);
  }
  compiled.delete(key);
  compiled.set(key, expression);
  if (compiled.size > CACHED_PATTERNS) compiled.delete(compiled.keys().next().value);
  expression.lastIndex = 0;
  return expression;
}

// Only a script can be given a time limit, so the match is one, reading its inputs from here.
const current = { expression: /a/, text: '', most: 0, found: [] };
globalThis.currentEvaluation = current;
const match = new vm.Script('currentEvaluation.expression.exec(currentEvaluation.text)');
const matchEvery = new vm.Script(`{
  const { expression, text, most, found } = currentEvaluation;
  for (const one of text.matchAll(expression)) if (found.push(one.indices) >= most) break;
}`);

function evaluate(limit, pattern, flags, text, most = 0) {
  try {
    current.text = text;
    if (most > 0) {
      current.expression = expressionOf(pattern, flags.includes('g') ? flags : `${flags}g`);
      current.most = most;
      matchEvery.runInThisContext({ timeout: limit });
      return current.found.length ? ['M', everySpanOf(current.found)] : ['N', Buffer.alloc(0)];
    }
    current.expression = expressionOf(pattern, flags);
    const found = match.runInThisContext({ timeout: limit });
    return found === null ? ['N', Buffer.alloc(0)] : ['M', spansOf(found.indices)];
  } catch (error) {
    if (error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return ['T', Buffer.alloc(0)];
    const message = String(error.message);
    if (/too (large|big)/i.test(message)) return ['L', Buffer.alloc(0)];
    if (/stack|memory/i.test(message)) return ['X', Buffer.alloc(0)];
    const status = error.name === 'SyntaxError' ? 'I' : 'F';
    // The message quotes the pattern, which the reader has before them; the reason follows.
    const quoted = `Invalid regular expression: /${pattern}/`;
    const reason = message.startsWith(quoted)
      ? message.slice(quoted.length).replace(/^[a-z]*: /, '') : message;
    return [status, Buffer.from(reason.slice(0, LARGEST_MESSAGE))];
  } finally {
    current.text = '';
    current.found = [];
  }
}

function everySpanOf(found) {
  const pairs = Buffer.alloc(4);
  pairs.writeUInt32LE(found[0].length);
  return Buffer.concat([pairs, ...found.map(spansOf)]);
}

function spansOf(indices) {
  const payload = Buffer.alloc(indices.length * 8);
  indices.forEach((span, number) => {
    payload.writeUInt32LE(span ? span[0] : NO_POSITION, number * 8);
    payload.writeUInt32LE(span ? span[1] : NO_POSITION, number * 8 + 4);
  });
  return payload;
}

evaluate(1000, 'a', 'i', 'A');
evaluate(1000, '[\\p{L}--[a-z]]', 'v', 'A');
answer('R', Buffer.alloc(0), false);
for (;;) {
  const header = readExactly(REQUEST_HEADER);
  if (header === null) break;
  const flagsLength = header.readUInt8(1);
  const patternEnd = header.readUInt16LE(6) * 2;
  const body = readExactly(patternEnd + flagsLength + header.readUInt32LE(8) * 2);
  if (body === null) break;
  const pattern = body.toString('utf16le', 0, patternEnd);
  const flags = body.toString('latin1', patternEnd, patternEnd + flagsLength);
  tick();
  // A check matches the empty text, since V8 compiles a pattern when it first matches.
  let [status, payload] = evaluate(
    header.readUInt16LE(2), pattern, flags, body.toString('utf16le', patternEnd + flagsLength),
    header.readUInt16LE(4));
  tick();
  if (header.readUInt8(0) === 'C'.charCodeAt(0) && status === 'M') {
    [status, payload] = ['N', Buffer.alloc(0)];
  }
  const leaving = process.memoryUsage.rss() > LEAVING_BYTES;
  answer(status, payload, leaving);
  if (leaving) break;
}
process.exit(0);
