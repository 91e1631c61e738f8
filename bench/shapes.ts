import { randomInteger } from "../tests/helpers/random_numbers.ts";

/**
 * Shapes of hierarchies: trees (one parent), DAGs (one to three), chains (many below the root, since a single
 * chain of n roles has n^2 / 2 closure rows), lattices (grids in which two parents per role make many paths).
 */
export const SHAPES = ["tree", "dag", "chains", "lattices"] as const;
export type Shape = typeof SHAPES[number];

/** The root's index in the parents of a planned role. */
export const ROOT_PLACE = -1;

/** A planned role. Roles are numbered 0, 1, 2, … in the order in which they are planned. */
export interface PlannedRole {
  /** Depth below the root, starting at 0. */
  readonly level: number;
  /** Indices of earlier roles; the first one is the parent that can manage the role. */
  readonly parents: readonly number[];
}

/** Children per role in trees and DAGs, which is also the growth factor of their levels. */
const FAN_OUT = 10;
/** The shares of a DAG's roles with more than one parent, and with three. */
const SEVERAL_PARENTS_SHARE = 0.6;
const THREE_PARENTS_SHARE = 0.2;
/** Further parents are neighbours of the first, so that roles do not have most others as ancestors. */
const NEIGHBOURHOOD = 4;
const CHAIN_LENGTH = 30;
const LATTICE_WIDTH = 8;
const LATTICE_HEIGHT = 8;

/** Plans the roles of a shape, about as many as in a tree of `levels` levels. */
export function planShape(shape: Shape, levels: number, random: () => number): Iterable<PlannedRole> {
  switch (shape) {
    case "tree":
      return planLevels(levels, (above, first) => [above.start + first]);
    case "dag":
      return planLevels(levels, (above, first) => chooseParents(above, first, random));
    case "chains":
      return planChains(Math.round(countTree(levels) / CHAIN_LENGTH));
    case "lattices":
      return planLattices(Math.round(countTree(levels) / (LATTICE_WIDTH * LATTICE_HEIGHT)));
  }
}

/** A description of a shape. */
export function describeShape(shape: Shape): string {
  switch (shape) {
    case "tree":
      return `A tree of ${FAN_OUT} children each`;
    case "dag":
      return "A DAG of 1 to 3 parents each";
    case "chains":
      return `Chains of ${CHAIN_LENGTH} roles`;
    case "lattices":
      return `Lattices of ${LATTICE_WIDTH} x ${LATTICE_HEIGHT} roles, two parents each`;
  }
}

/** Number of roles in a tree of this many levels. */
function countTree(levels: number): number {
  let roles = 0;
  for (let level = 1; level <= levels; level++) roles += FAN_OUT ** level;
  return roles;
}

/** A level: consecutive roles. */
interface LevelPlaces {
  readonly start: number;
  readonly count: number;
}

type ParentChoice = (above: LevelPlaces, first: number) => readonly number[];

function* planLevels(levels: number, choose: ParentChoice): Generator<PlannedRole> {
  let above: LevelPlaces = { start: ROOT_PLACE, count: 1 };
  for (let level = 0; level < levels; level++) {
    const count = above.count * FAN_OUT;
    for (let i = 0; i < count; i++) yield { level, parents: choose(above, Math.floor(i / FAN_OUT)) };
    above = { start: above.start + above.count, count };
  }
}

function chooseParents({ start, count }: LevelPlaces, first: number, random: () => number): number[] {
  const share = random();
  const wanted = share < THREE_PARENTS_SHARE ? 3 : share < SEVERAL_PARENTS_SHARE ? 2 : 1;
  const parents = new Set([start + first]);
  for (let n = 1; n < wanted; n++) {
    const offset = 1 + randomInteger(random, NEIGHBOURHOOD);
    parents.add(start + (first + offset) % count);
  }
  return [...parents];
}

function* planChains(chains: number): Generator<PlannedRole> {
  let place = 0;
  for (let chain = 0; chain < chains; chain++) {
    for (let level = 0; level < CHAIN_LENGTH; level++, place++) {
      yield { level, parents: [level === 0 ? ROOT_PLACE : place - 1] };
    }
  }
}

/** The top row of a grid is below the root. Every other role is below the one above it and that one's neighbour. */
function* planLattices(grids: number): Generator<PlannedRole> {
  for (let grid = 0; grid < grids; grid++) {
    const start = grid * LATTICE_WIDTH * LATTICE_HEIGHT;
    for (let level = 0; level < LATTICE_HEIGHT; level++) {
      const above = start + (level - 1) * LATTICE_WIDTH;
      for (let column = 0; column < LATTICE_WIDTH; column++) {
        const neighbour = (column + 1) % LATTICE_WIDTH;
        yield { level, parents: level === 0 ? [ROOT_PLACE] : [above + column, above + neighbour] };
      }
    }
  }
}
