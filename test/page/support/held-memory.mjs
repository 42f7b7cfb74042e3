// Loaded into a server that is measured (with --expose-gc): reports what its heap and buffers hold, after a full collection.
const settled = () => new Promise((resolve) => setImmediate(resolve));

process.on('message', async () => {
  const { rss, heapTotal } = process.memoryUsage();
  // What the first collection finalizes is freed by the second.
  for (let n = 0; n < 2; n++) {
    globalThis.gc();
    await settled();
  }
  const { heapUsed, external } = process.memoryUsage();
  process.send({ rss, heapTotal, heapUsed, external });
});
process.channel.unref();
