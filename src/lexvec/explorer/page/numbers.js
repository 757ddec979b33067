// Numbers as people read them, and numbers that are packed in base64.

export function whole(number) {
  return number.toLocaleString("en");
}

export function percent(share) {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}

export function figure(number) {
  return number.toFixed(3).replace("-", "−");
}

function bytesOf(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place += 1) bytes[place] = binary.charCodeAt(place);
  return bytes;
}

// Numbers are little-endian, as are those of every machine that a browser runs on today.
export function unpackedBytes(text) {
  return bytesOf(text);
}

export function unpackedShorts(text) {
  return new Uint16Array(bytesOf(text).buffer);
}

export function unpackedSigned(text) {
  return new Int16Array(bytesOf(text).buffer);
}

export function unpackedInts(text) {
  return new Uint32Array(bytesOf(text).buffer);
}
