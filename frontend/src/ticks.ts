// The round numbers along an axis: where lines of the grid are, and how they are written.

export interface Tick {
  at: number;
  label: string;
}

/** The round numbers between two, at most so many, in steps of 1, 2 or 5 times a power of ten. */
export function ticks(low: number, high: number, most: number): Tick[] {
  const least = (high - low) / most;
  if (!(least > 0) || !Number.isFinite(least) || most < 1) return [];
  const power = Math.floor(Math.log10(least));
  const unit = 10 ** power;
  const step = unit * [1, 2, 5, 10].find((each) => each * unit >= least * (1 - 1e-9))!;
  // So far out or so near that neighbors are one number, there are no lines between them.
  if (Math.max(Math.abs(low), Math.abs(high)) / step > 2 ** 50 || !(step > 0)) return [];
  const digits = Math.min(100, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const found: Tick[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
    const far = Math.abs(k * step) >= 1e6 || step < 1e-6;
    found.push({ at: k * step, label: k === 0 ? "0" : far ? String(Number((k * step).toPrecision(12))) : (k * step).toFixed(digits) });
  }
  return found;
}
