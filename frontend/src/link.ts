// The socket to the server: messages and frames, and coming back by itself when the server is gone.

export type Message = { kind: string; [name: string]: any };
export type Heard = (message: Message, data: DataView) => void;

const FIRST_WAIT_MS = 300;
const MAX_WAIT_MS = 5000;
const NOTHING = new DataView(new ArrayBuffer(0));
const LINE_END = 10;

/** A frame: a line of JSON, and the bytes of the picture. */
export function unpacked(buffer: ArrayBuffer): [Message, DataView] {
  const bytes = new Uint8Array(buffer);
  const end = bytes.indexOf(LINE_END);
  if (end < 0) throw new Error("a frame without a line of JSON");
  return [JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))), new DataView(buffer, end + 1)];
}

export class Link {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT_MS;
  private timer = 0;
  private closed = false;
  private readonly listeners = new Set<Heard>();

  constructor(
    private readonly file: string,
    private readonly connected: (yes: boolean) => void,
  ) {}

  open(): void {
    this.closed = false;
    const address = new URL("socket", location.href);
    address.protocol = "ws:";
    address.search = this.file ? `?file=${encodeURIComponent(this.file)}` : "";
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      this.wait = FIRST_WAIT_MS;
      const [message, bytes] = typeof data === "string" ? [JSON.parse(data) as Message, NOTHING] : unpacked(data);
      for (const heard of this.listeners) heard(message, bytes);
    };
    socket.onopen = () => this.connected(true);
    socket.onclose = () => {
      if (this.closed || this.socket !== socket) return;
      this.connected(false);
      this.timer = window.setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(MAX_WAIT_MS, 2 * this.wait);
    };
    this.socket = socket;
  }

  /** Send a message; tells whether there is somebody to send it to. */
  say(message: Message): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  listen(heard: Heard): () => void {
    this.listeners.add(heard);
    return () => this.listeners.delete(heard);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }
}
