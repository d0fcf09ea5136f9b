// The page of the studio: a picture, its text, and the numbers of the line at hand.
import { createRoot } from "react-dom/client";

import { App } from "./app";
import "./style.css";

createRoot(document.getElementById("root")!).render(<App />);
