/**
 * Draws bugs at random: `node test/mutants/draw.mjs --seed 24 --commit HEAD` prints the bugs of `drawn.json`. The sources are those
 * of the commit, so that the same seed and commit give the same list at any time. It imports build/: run `npm run build` first.
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { seededRandom } from '../../build/time/seeded-random.js';
import { roomOf, rooms } from './rooms.mjs';

/** Generated files, and files that only pass names on. */
const leftOut = /\.test\.ts$|\.d\.ts$|\/index\.ts$|\/scan-wasm\.ts$/;
const mostLines = 4;

const negations = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
]);
const neighbours = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
]);

const { values } = parseArgs({ options: { seed: { type: 'string' }, commit: { type: 'string' } } });
if (!/^\d+$/.test(values.seed ?? '') || values.commit === undefined) {
  console.error('usage: node test/mutants/draw.mjs --seed NUMBER --commit COMMIT');
  process.exit(2);
}
const commit = git('rev-parse', values.commit).trim();
const random = seededRandom(Number(values.seed));
const mutants = [];
for (const room of rooms) {
  const places = placesOf(room);
  for (let drawn = 0; drawn < room.draws; drawn++) {
    // The kind first, because there are ten times more conditions than pairs of calls.
    const kinds = [...new Set(places.map(({ kind }) => kind))].sort();
    const kind = kinds[Math.floor(random() * kinds.length)];
    const ofKind = places.filter((place) => place.kind === kind);
    const [place] = places.splice(places.indexOf(ofKind[Math.floor(random() * ofKind.length)]), 1);
    mutants.push({ name: `drawn ${mutants.length + 1}`, ...place });
  }
}
console.log(JSON.stringify({ seed: Number(values.seed), commit, mutants }, undefined, 2));

/** All places of a room where a bug of one of the kinds can be planted. */
function placesOf(room) {
  const files = git('ls-tree', '-r', '--name-only', commit, 'src')
    .split('\n')
    .filter((file) => file.endsWith('.ts') && !leftOut.test(file) && isIn(room, file));
  return files.flatMap((file) => placesIn(file, git('show', `${commit}:${file}`)));
}

function isIn(room, file) {
  try {
    return roomOf(file) === room;
  } catch {
    return false;
  }
}

function placesIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const places = [];
  visit(source, false);
  return places;

  function visit(node, isInFunction) {
    if (isInFunction) note(node);
    ts.forEachChild(node, (child) => visit(child, isInFunction || (ts.isFunctionLike(node) && child === node.body)));
  }

  function note(node) {
    if (ts.isIfStatement(node)) change('flipped condition', node.expression, `!(${node.expression.getText()})`);
    if (ts.isConditionalExpression(node)) change('flipped condition', node.condition, `!(${node.condition.getText()})`);
    if (ts.isBinaryExpression(node)) {
      const negation = negations.get(node.operatorToken.kind);
      if (negation !== undefined) change('flipped condition', node.operatorToken, negation);
      const neighbour = neighbours.get(node.operatorToken.kind);
      if (neighbour !== undefined) change('off by one', node.operatorToken, neighbour);
    }
    if (ts.isNumericLiteral(node) && /^\d+$/.test(node.text) && !ts.isLiteralTypeNode(node.parent)) {
      change('off by one', node, String(Number(node.text) + 1));
    }
    if (isCall(node)) change('removed call', node, ';');
    if (ts.isBlock(node)) {
      for (const [i, second] of node.statements.entries()) {
        const first = node.statements[i - 1];
        if (i > 0 && isAction(first) && isAction(second)) swap(first, second);
      }
    }
  }

  function change(kind, node, replacement) {
    keep(kind, node.getStart(), node.getEnd(), replacement);
  }

  function swap(first, second) {
    const between = text.slice(first.getEnd(), second.getStart());
    keep('swapped order', first.getStart(), second.getEnd(), second.getText() + between + first.getText());
  }

  /** Keeps a place with as many whole lines as make its text unique in the file. */
  function keep(kind, start, end, replacement) {
    let from = text.lastIndexOf('\n', start - 1) + 1;
    const after = text.indexOf('\n', end);
    const to = after < 0 ? text.length : after;
    for (;;) {
      const old = text.slice(from, to).trimStart();
      if (old.split('\n').length > mostLines) return;
      if (text.indexOf(old) === text.lastIndexOf(old)) {
        places.push({
          kind,
          file,
          old,
          new: (text.slice(from, start) + replacement + text.slice(end, to)).trimStart(),
        });
        return;
      }
      if (from === 0) return;
      from = text.lastIndexOf('\n', from - 2) + 1;
    }
  }
}

/** A statement that does something: a call or an assignment. */
function isAction(node) {
  return ts.isExpressionStatement(node) && !node.getText().startsWith('super');
}

function isCall(node) {
  if (!isAction(node)) return false;
  let call = node.expression;
  while (ts.isAwaitExpression(call) || ts.isVoidExpression(call)) call = call.expression;
  return ts.isCallExpression(call);
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28 });
}
