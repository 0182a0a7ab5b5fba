import { Kafka, logLevel } from 'kafkajs';
import { Adapter } from './adapter';
import { loadConfig } from './config';
import { Journal } from './journal';
import { parseCommand } from './messages';
import { PlatformClient } from './platform';
import { Reporter } from './reporter';
import { ProcessRuntime } from './runtime';

const HEARTBEAT_MS = 10_000;

async function main(): Promise<void> {
  const startedAt = new Date();
  const config = loadConfig(process.env);
  const kafka = new Kafka({ ...config.kafka, logLevel: logLevel.WARN });
  const producer = kafka.producer({ maxInFlightRequests: 1 });
  const consumer = kafka.consumer({
    groupId: `${config.topicPrefix}adapter-ts.${config.backend}`, // the same at every start (P-2)
    sessionTimeout: 10_000,
    heartbeatInterval: 1_000,
    allowAutoTopicCreation: false,
  });
  const journal = new Journal(config.dataDir);
  const runtime = new ProcessRuntime(config.dataDir);
  const platform = new PlatformClient(config);
  const reporter = new Reporter(config, journal, platform, producer);
  const adapter = new Adapter(journal, runtime, reporter, platform);

  await producer.connect();
  const heartbeat = (): void => {
    reporter
      .heartbeat(startedAt, runtime.instanceIds().length)
      .catch((error: unknown) => console.log(`heartbeat not sent: ${String(error)}`));
  };
  heartbeat();
  const timer = setInterval(heartbeat, HEARTBEAT_MS);

  await adapter.reconcile();
  await consumer.connect();
  await consumer.subscribe({ topic: `${config.topicPrefix}runtime.commands.${config.backend}`, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message }) => {
      const command = parseCommand(message.value);
      if (command !== null) {
        adapter.accept(command);
      }
    },
  });

  const stop = async (): Promise<void> => {
    clearInterval(timer);
    await consumer.disconnect();
    await producer.disconnect();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
}

main().catch((error: unknown) => {
  console.error(String(error));
  process.exit(1);
});
