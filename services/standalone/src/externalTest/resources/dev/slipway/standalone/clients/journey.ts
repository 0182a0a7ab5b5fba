import { Configuration, IamApi, InstancesApi, InstanceStatus, ResponseError } from './index';

const env = process.env as Record<string, string>;

async function main(): Promise<void> {
  const configuration = new Configuration({ basePath: env.BASE_URL, accessToken: env.TOKEN });
  const instances = new InstancesApi(configuration);
  const projectId = env.PROJECT;
  const me = await new IamApi(configuration).getMe();
  console.log('me ' + me.principalId);
  const createAppInstance = { appSlug: env.APP, version: env.VERSION, displayName: 'typescript client' };
  const created = await instances.createAppInstance({ projectId, createAppInstance, idempotencyKey: 'typescript-client' });
  const read = await instances.getAppInstance({ projectId, appInstanceId: created.id });
  if (read.id !== created.id || read.status === InstanceStatus.Deleted) {
    throw new Error('unexpected ' + JSON.stringify(read));
  }
  const deleted = await instances.deleteAppInstance({ projectId, appInstanceId: created.id });
  console.log('deleted ' + deleted.status);
  try {
    await instances.getAppInstance({ projectId, appInstanceId: '00000000-0000-7000-8000-000000000000' });
    throw new Error('an unknown instance was found');
  } catch (e) {
    if (!(e instanceof ResponseError)) throw e;
    console.log('error ' + e.response.status + ' ' + (await e.response.text()));
  }
}

main().catch((e) => {
  console.error(e);
  process.exit(1);
});
