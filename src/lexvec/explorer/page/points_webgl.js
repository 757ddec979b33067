// Points drawn by the graphics processor: one draw call for all of them.

const VERTEX = `#version 300 es
in vec2 place;
in vec3 colour;
uniform vec2 centre;
uniform vec2 factor;
uniform float size;
out vec3 shade;
void main() {
  gl_Position = vec4((place - centre) * factor, 0.0, 1.0);
  gl_PointSize = size;
  shade = colour;
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
in vec3 shade;
out vec4 painted;
void main() {
  float away = length(gl_PointCoord - 0.5);
  float alpha = 0.85 * (1.0 - smoothstep(0.35, 0.5, away));
  painted = vec4(shade * alpha, alpha);
}`;

function compiled(gl, kind, text) {
  const shader = gl.createShader(kind);
  gl.shaderSource(shader, text);
  gl.compileShader(shader);
  return shader;
}

// Later points lie on top of earlier ones, and frequent words, which come first, should lie on top.
function reversed(values, size) {
  const turned = new values.constructor(values.length);
  for (let place = 0; place < values.length; place += size) turned.set(values.subarray(place, place + size), values.length - size - place);
  return turned;
}

export class WebglPoints {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: false, preserveDrawingBuffer: true });
    if (!gl) throw new Error("there is no WebGL2");
    const program = gl.createProgram();
    gl.attachShader(program, compiled(gl, gl.VERTEX_SHADER, VERTEX));
    gl.attachShader(program, compiled(gl, gl.FRAGMENT_SHADER, FRAGMENT));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error("the shaders do not compile");
    gl.useProgram(program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.name = "WebGL2";
    this.canvas = canvas;
    this.gl = gl;
    this.count = 0;
    this.uniforms = Object.fromEntries(["centre", "factor", "size"].map((name) => [name, gl.getUniformLocation(program, name)]));
    this.places = this.attribute(program, "place", 2, gl.FLOAT, false);
    this.colours = this.attribute(program, "colour", 3, gl.UNSIGNED_BYTE, true);
  }

  attribute(program, name, size, type, normalised) {
    const { gl } = this;
    const buffer = gl.createBuffer();
    const place = gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, type, normalised, 0, 0);
    return buffer;
  }

  setPoints(points) {
    this.count = points.length / 2;
    this.fill(this.places, reversed(points, 2));
  }

  setColours(colours) {
    this.fill(this.colours, reversed(colours, 3));
  }

  fill(buffer, data) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, data, this.gl.STATIC_DRAW);
  }

  draw(camera, size, ratio) {
    const { gl } = this;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(this.uniforms.centre, camera.x, camera.y);
    gl.uniform2f(this.uniforms.factor, (2 * camera.scale) / camera.width, (2 * camera.scale) / camera.height);
    gl.uniform1f(this.uniforms.size, size * ratio);
    gl.drawArrays(gl.POINTS, 0, this.count);
  }
}
