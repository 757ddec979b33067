// Points drawn without WebGL2: slower, and the same to look at.

export class CanvasPoints {
  constructor(canvas) {
    this.name = "Canvas";
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.points = new Float32Array();
    this.colours = new Uint8Array();
  }

  setPoints(points) {
    this.points = points;
  }

  setColours(colours) {
    this.colours = colours;
  }

  draw(camera, size, ratio) {
    const { context, points, colours } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    context.globalAlpha = 0.85;
    let last = -1;
    // Rare words first, so that frequent ones lie on top.
    for (let place = points.length / 2 - 1; place >= 0; place -= 1) {
      const x = camera.screenX(points[2 * place]);
      const y = camera.screenY(points[2 * place + 1]);
      if (x < 0 || y < 0 || x > camera.width || y > camera.height) continue;
      const colour = (colours[3 * place] << 16) | (colours[3 * place + 1] << 8) | colours[3 * place + 2];
      if (colour !== last) context.fillStyle = `#${colour.toString(16).padStart(6, "0")}`;
      last = colour;
      context.fillRect(x - size / 2, y - size / 2, size, size);
    }
    context.globalAlpha = 1;
  }
}
