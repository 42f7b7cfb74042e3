export interface MessageContent {
  messageId: string;
  text: string;
  /** Who wrote it (`platform`: words of ours alone), and what for. */
  metadata: { source: 'platform' | 'a2a' } & Record<string, string>;
  /** Of a message of A2A: its task, which is its place in the queue too, and the conversation. */
  task?: { id: string; contextId: string };
}

/** One form for all messages in the queue, whoever sends them and whatever version of the protocol they came in. */
export function messageBody({ messageId, text, metadata, task }: MessageContent): Record<string, unknown> {
  return {
    jsonrpc: '2.0',
    id: task?.id ?? messageId,
    method: 'message/send',
    params: {
      message: {
        kind: 'message',
        role: 'user',
        messageId,
        ...(task && { contextId: task.contextId, taskId: task.id }),
        parts: [{ kind: 'text', text }],
        metadata,
      },
    },
  };
}
