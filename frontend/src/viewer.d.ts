// What `explore.js`, the viewer of pictures that notebooks share, offers.
declare module "*/explore.js" {
  export interface Place {
    center: [number, number];
    zoom: number;
  }
  export interface Viewer {
    canvas: HTMLCanvasElement;
    view: Place & { time: number };
    play: HTMLButtonElement;
    touch(): void;
    forget(): void;
    lookAt(place: Place): void;
    setMoves(moves: boolean): void;
    zoomBy(factor: number): void;
    close(): void;
  }
  export interface Model {
    get(name: string): unknown;
    on(name: string, heard: (message: never, buffers: DataView[]) => void): void;
    off(name: string, heard: (message: never, buffers: DataView[]) => void): void;
    send(message: object): void;
  }
  export function viewer(asked: {
    model: Model;
    el: HTMLElement;
    fills?: boolean;
    source?: string;
    cure?: string;
  }): Viewer;
}
