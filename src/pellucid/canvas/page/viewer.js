// Starts OpenSeadragon on the element of the page that says which tiles there are.
(() => {
  const { tiles, width, height, side } = document.getElementById("picture").dataset;
  OpenSeadragon({
    id: "picture",
    // Files may be drawn, and not be read: a canvas of two dimensions asks for no more.
    drawer: "canvas",
    showNavigationControl: false,
    showNavigator: true,
    maxZoomPixelRatio: 16,
    minZoomImageRatio: 0.8,
    imageSmoothingEnabled: false,
    tileSources: {
      Image: {
        xmlns: "http://schemas.microsoft.com/deepzoom/2008",
        Url: tiles,
        Format: "png",
        Overlap: "0",
        TileSize: side,
        Size: { Width: width, Height: height },
      },
    },
  });
})();
