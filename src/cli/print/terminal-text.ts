/** Characters that move the cursor or change how text reads: C0, DEL, C1, direction and line marks. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const CONTROLS_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Text from outside, on one line of a terminal. */
export function harmless(text: string): string {
  return text.replace(CONTROLS, '\u00b7');
}

/** The same JSON with the control characters escaped that JSON.stringify leaves raw. */
export function harmlessJson(json: string): string {
  return json.replace(CONTROLS_IN_JSON, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
