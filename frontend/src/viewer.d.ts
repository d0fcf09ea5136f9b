// What `explore.js`, the viewer of pictures that notebooks share, offers.
declare module "*/explore.js" {
  export interface Place {
    center: [number, number];
    zoom: number;
  }
  export interface Viewer {
    canvas: HTMLCanvasElement;
    view: Place & { time: number; params: Record<string, number> };
    /** How time passes while the picture plays. */
    clock: { seconds: number; speed: number; loops: boolean };
    touch(): void;
    forget(): void;
    lookAt(place: Place): void;
    setMoves(moves: boolean): void;
    setPlaying(to: boolean): void;
    isPlaying(): boolean;
    goTo(time: number): void;
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
    looked?: () => void;
    timed?: boolean;
    source?: string;
    cure?: string;
  }): Viewer;
}
