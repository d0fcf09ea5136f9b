// The parameters of a picture whose file is only watched: sliders that change the picture and no text.
import { useEffect, useState } from "react";

import type { Viewer } from "../../src/pellucid/notebook/explore.js";

export interface Parameter {
  name: string;
  low: number;
  high: number;
  value: number;
}

const DIGITS = 4;

/** The values that are slid, of parameters that there still are, within their ranges. */
export function valuesOf(params: Parameter[], before: Record<string, number>): Record<string, number> {
  const within = ({ name, low, high, value }: Parameter) => Math.min(high, Math.max(low, before[name] ?? value));
  return Object.fromEntries(params.map((each) => [each.name, within(each)]));
}

export function Parameters({ viewer, params }: { viewer: Viewer; params: Parameter[] }) {
  const [slid, setSlid] = useState<Record<string, number>>({});
  const values = valuesOf(params, slid);
  useEffect(() => {
    viewer.view.params = values;
    viewer.touch();
  }, [viewer, JSON.stringify(values)]);
  if (!params.length) return <p className="hint">The picture has no parameters; pl.param("name", 1.0, low=0.0, high=2.0) makes one.</p>;
  return (
    <>
      {params.map(({ name, low, high }) => (
        <label key={name} className="number">
          <span>{name}</span>
          <input
            type="range" aria-label={name} min={low} max={high} step="any" value={values[name]}
            onChange={(event) => setSlid({ ...slid, [name]: Number(event.target.value) })}
          />
          <output>{Number(values[name].toPrecision(DIGITS))}</output>
        </label>
      ))}
      <p className="missing"><button onClick={() => setSlid({})}>As in the file</button></p>
    </>
  );
}
