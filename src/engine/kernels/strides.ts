/** Shapes as loops: strides in bytes, and axes that run through memory together made one. */

/** Bytes from one element to the next along each axis of a whole tensor; elements have four bytes. */
export function stridesOf(dims: readonly number[]): number[] {
  const strides = dims.map(() => 0);
  let step = 4;
  for (let axis = dims.length - 1; axis >= 0; axis--) {
    strides[axis] = step;
    step *= dims[axis] ?? 1;
  }
  return strides;
}

/** Strides of a tensor as broadcasting to `dims` reads it: 0 where it is stretched. */
export function broadcastStrides(own: readonly number[], dims: readonly number[]): number[] {
  const strides = stridesOf(own);
  const lead = dims.length - own.length;
  return dims.map((size, axis) =>
    axis < lead || (own[axis - lead] === 1 && size !== 1) ? 0 : (strides[axis - lead] ?? 0),
  );
}

export interface Loops {
  readonly dims: readonly number[];
  /** [operand][axis] */
  readonly strides: readonly (readonly number[])[];
}

/** The same elements in the same order with as few axes as possible. */
export function collapse(dims: readonly number[], strides: readonly (readonly number[])[]): Loops {
  const kept: number[] = [];
  const keptStrides: number[][] = strides.map(() => []);
  for (let axis = dims.length - 1; axis >= 0; axis--) {
    const size = dims[axis] ?? 1;
    if (size === 1) continue;
    const inner = kept[0];
    const joins =
      inner !== undefined &&
      strides.every((own, operand) => own[axis] === (keptStrides[operand]?.[0] ?? 0) * inner);
    if (joins) {
      kept[0] = size * inner;
      continue;
    }
    kept.unshift(size);
    strides.forEach((own, operand) => keptStrides[operand]?.unshift(own[axis] ?? 0));
  }
  return { dims: kept, strides: keptStrides };
}

/** The loops with ones in front, to at least `rank` axes. */
export function atLeast(loops: Loops, rank: number): Loops {
  const lead = Array.from({ length: Math.max(0, rank - loops.dims.length) }, () => 0);
  return {
    dims: [...lead.map(() => 1), ...loops.dims],
    strides: loops.strides.map((own) => [...lead, ...own]),
  };
}

/** Byte offsets [operand] of every index of the outer axes, the last `inner` ones left out. */
export function outerOffsets({ dims, strides }: Loops, inner: number): number[][] {
  let offsets = [strides.map(() => 0)];
  for (let axis = 0; axis < dims.length - inner; axis++) {
    offsets = offsets.flatMap((base) =>
      Array.from({ length: dims[axis] ?? 1 }, (_, i) =>
        base.map((at, operand) => at + i * (strides[operand]?.[axis] ?? 0)),
      ),
    );
  }
  return offsets;
}
