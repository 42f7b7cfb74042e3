export interface MessageContent {
  messageId: string;
  text: string;
  /** Who wrote it (`platform`: only words of ours) and why. */
  metadata: { source: 'platform' | 'a2a' } & Record<string, string>;
  /** For an A2A message: its task, whose id is also its id in the queue, and the conversation. */
  task?: { id: string; contextId: string };
}

/** Returns the one form of all messages in the queue, for every sender and protocol version. */
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
