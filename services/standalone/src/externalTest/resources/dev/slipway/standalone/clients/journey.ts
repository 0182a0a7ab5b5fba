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
  let read = await instances.getAppInstance({ projectId, appInstanceId: created.id });
  if (read.id !== created.id || read.status === InstanceStatus.Deleted) {
    throw new Error('unexpected ' + JSON.stringify(read));
  }
  for (let attempt = 0; read.status !== InstanceStatus.Running && attempt < 600; attempt++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    read = await instances.getAppInstance({ projectId, appInstanceId: created.id });
  }
  console.log('then ' + read.status);
  let page = await instances.listAppInstances({ projectId, limit: 1 });
  let isListed = page.items.some((item) => item.id === created.id);
  while (page.nextCursor !== null) {
    page = await instances.listAppInstances({ projectId, limit: 1, cursor: page.nextCursor });
    isListed = isListed || page.items.some((item) => item.id === created.id);
  }
  console.log('listed ' + isListed);
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
