export interface ServerEvent {
  event: string;
  data: string;
}

/**
 * The events of a stream. Comments are returned as `beat`: they show that the server is alive. An EventSource cannot send
 * the header that every request of the page needs.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += decoder.decode(value, { stream: true }).replaceAll('\r\n', '\n');
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield parse(block);
  }
}

function parse(block: string): ServerEvent {
  const found: ServerEvent = { event: 'beat', data: '' };
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, field, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === 'event') found.event = value ?? '';
    if (field === 'data') data.push(value ?? '');
  }
  if (data.length > 0 && found.event === 'beat') found.event = 'message';
  return { ...found, data: data.join('\n') };
}
