import { expect, test } from "vitest";

import { cardsOf, cardWith, isInline } from "./cards";
import { linesOf, neighbor, nodeAt, rootsOf, type Tree, type TreeNode } from "./tree";

const TEXT = "board = checker(5)\npicture = over(turn(board, 0.5), (board))";

function node(identity: number, form: string, source: string, more: Partial<TreeNode> = {}, at = TEXT.indexOf(source)): TreeNode {
  const plain = { kind: "image", expected: null, word: "", label: source, value: null, color: null, parent: null, definition: null };
  return { ...plain, identity, form, start: at, end: at + source.length, shows: form === "call", arguments: [], ...more };
}

const argument = (name: string, of: number) => ({ name, role: "argument", node: of, expected: null });

const tree: Tree = {
  valid: true,
  picture: 3,
  roots: [1, 3],
  names: [{ name: "board", node: 1, start: 0, end: 5, uses: [5, 7] }, { name: "picture", node: 3, start: 19, end: 26, uses: [] }],
  nodes: {
    1: node(1, "call", "checker(5)", { arguments: [argument("size", 2)] }),
    2: node(2, "number", "5", { kind: "number", parent: 1, value: 5 }),
    3: node(3, "call", "over(turn(board, 0.5), (board))", { arguments: [argument("top", 4), argument("bottom", 7)] }),
    4: node(4, "call", "turn(board, 0.5)", { parent: 3, arguments: [argument("image", 5), argument("angle", 6)] }),
    5: node(5, "name", "board", { parent: 4, definition: 1 }, TEXT.indexOf("board, 0.5")),
    6: node(6, "number", "0.5", { kind: "number", parent: 4 }),
    7: node(7, "name", "board", { parent: 3, definition: 1 }, TEXT.lastIndexOf("board")),
  },
};

test("a cursor means the smallest node around it, and a selection the node of its letters", () => {
  const at = (source: string) => TEXT.indexOf(source);
  expect(nodeAt(tree, TEXT, at("0.5") + 3, at("0.5") + 3)).toBe(6);
  expect(nodeAt(tree, TEXT, at("turn(") + 1, at("turn(") + 1)).toBe(4);
  expect(nodeAt(tree, TEXT, at("turn("), at("turn(") + 17)).toBe(3);
  expect(nodeAt(tree, TEXT, at(" (board)"), at(" (board)") + 8)).toBe(7);
  expect(nodeAt(tree, TEXT, 2, 2)).toBe(1);
  expect(nodeAt(tree, TEXT, 6, 6)).toBe(null);
});

test("of two nodes with the same letters the picked one stays", () => {
  const twice = { ...tree, nodes: { ...tree.nodes, 8: { ...tree.nodes[1], identity: 8 } } };
  const { start, end } = tree.nodes[1];
  expect(nodeAt(twice, TEXT, start, end, 8)).toBe(8);
  expect(nodeAt(twice, TEXT, start, end)).toBe(1);
});

test("the picture comes first, and what is closed hides what is in it", () => {
  expect(rootsOf(tree)).toEqual([3, 1]);
  expect(linesOf(tree, new Set()).map((each) => each.id)).toEqual([3, 4, 5, 6, 7, 1, 2]);
  expect(linesOf(tree, new Set([4])).map((each) => each.id)).toEqual([3, 4, 7, 1, 2]);
  expect(linesOf(tree, new Set([3])).map((each) => [each.role, each.open])).toEqual([["picture", false], ["board", true], ["size", true]]);
});

test("arrow keys lead around, inside, before and after", () => {
  expect([neighbor(tree, 4, "ArrowLeft"), neighbor(tree, 4, "ArrowRight"), neighbor(tree, 4, "ArrowDown")]).toEqual([3, 5, 5]);
  expect(neighbor(tree, 5, "ArrowRight")).toBe(1);
  expect([neighbor(tree, 3, "ArrowUp"), neighbor(tree, 2, "ArrowDown")]).toEqual([null, null]);
});

test("a shared name is one card to which all of its uses lead, and numbers are rows", () => {
  const cards = cardsOf(tree);
  expect(cards.map((each) => each.id).sort()).toEqual([1, 3, 4]);
  expect(cards.flatMap((each) => each.rows).filter((each) => each.target === 1)).toHaveLength(2);
  expect(cardWith(cards, 6)?.id).toBe(4);
  expect(cardWith(cards, 9)).toBe(null);
  expect(isInline(tree.nodes[6])).toBe(true);
});

test("cards lie to the right of what they are a part of, and none on another", () => {
  const cards = cardsOf(tree);
  for (const card of cards) {
    for (const row of card.rows) if (row.target) expect(cards.find((each) => each.id === row.target)!.x).toBeGreaterThan(card.x);
    for (const other of cards) {
      if (other === card || other.x !== card.x) continue;
      expect(other.y >= card.y + card.height || card.y >= other.y + other.height).toBe(true);
    }
  }
});

test("a function that leads back to itself is laid out", () => {
  const nodes = { ...tree.nodes, 2: { ...tree.nodes[2], form: "name", definition: 3 } };
  expect(cardsOf({ ...tree, nodes })).toHaveLength(3);
});
