// Which part of the map is seen: a centre in the map's own coordinates (0 to 1) and a scale in pixels.

export class Camera {
  constructor() {
    this.x = 0.5;
    this.y = 0.5;
    this.scale = 1;
    this.width = 1;
    this.height = 1;
    this.home = [[0, 0], [1, 1]]; // what "show all" shows
  }

  resize(width, height) {
    const first = this.width === 1;
    this.width = Math.max(2, width);
    this.height = Math.max(2, height);
    if (first) this.fit();
  }

  fit() {
    this.frame(this.home, 0.95);
  }

  // The same camera with a wider view around the same centre.
  widened(factor) {
    return Object.assign(new Camera(), this, { width: this.width * factor, height: this.height * factor });
  }

  equals(other) {
    return ["x", "y", "scale", "width", "height"].every((name) => this[name] === other[name]);
  }

  sees(x, y) {
    return Math.abs(x - this.x) * this.scale <= this.width / 2 && Math.abs(y - this.y) * this.scale <= this.height / 2;
  }

  centre(x, y) {
    this.x = x;
    this.y = y;
  }

  screenX(x) {
    return (x - this.x) * this.scale + this.width / 2;
  }

  screenY(y) {
    return (this.y - y) * this.scale + this.height / 2;
  }

  pan(dx, dy) {
    this.x = Math.min(1.2, Math.max(-0.2, this.x - dx / this.scale));
    this.y = Math.min(1.2, Math.max(-0.2, this.y + dy / this.scale));
  }

  // The point under (px, py) stays where it is.
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const x = this.x + (px - this.width / 2) / this.scale;
    const y = this.y - (py - this.height / 2) / this.scale;
    const least = Math.min(this.width, this.height) * 0.3;
    this.scale = Math.min(least * 400, Math.max(least, this.scale * factor));
    this.x = x - (px - this.width / 2) / this.scale;
    this.y = y + (py - this.height / 2) / this.scale;
  }

  // Show all these points with some room around them.
  frame(points, filled = 0.7) {
    const xs = points.map(([x]) => x);
    const ys = points.map(([, y]) => y);
    const [wide, high] = [xs, ys].map((values) => Math.max(0.01, Math.max(...values) - Math.min(...values)));
    this.x = (Math.max(...xs) + Math.min(...xs)) / 2;
    this.y = (Math.max(...ys) + Math.min(...ys)) / 2;
    this.scale = Math.min(this.width / wide, this.height / high, Math.min(this.width, this.height) * 120) * filled;
  }
}
