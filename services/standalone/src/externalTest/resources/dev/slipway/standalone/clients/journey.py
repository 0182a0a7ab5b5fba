import os
import time
import uuid

import openapi_client
from openapi_client.exceptions import NotFoundException

configuration = openapi_client.Configuration(host=os.environ["BASE_URL"], access_token=os.environ["TOKEN"])
with openapi_client.ApiClient(configuration) as client:
    instances = openapi_client.InstancesApi(client)
    project = os.environ["PROJECT"]
    print("me", openapi_client.IamApi(client).get_me().principal_id)
    launch = openapi_client.CreateAppInstance(
        app_slug=os.environ["APP"], version=os.environ["VERSION"], display_name="python client"
    )
    created = instances.create_app_instance(project, launch, idempotency_key="python-client")
    read = instances.get_app_instance(project, created.id)
    assert read.id == created.id and read.status != openapi_client.InstanceStatus.DELETED, read
    for attempt in range(600):
        if read.status == openapi_client.InstanceStatus.RUNNING:
            break
        time.sleep(0.1)
        read = instances.get_app_instance(project, created.id)
    print("then", read.status.value)
    page = instances.list_app_instances(project, limit=1)
    listed = [item.id for item in page.items]
    while page.next_cursor is not None:
        page = instances.list_app_instances(project, limit=1, cursor=page.next_cursor)
        listed += [item.id for item in page.items]
    print("listed", str(created.id in listed).lower())
    print("deleted", instances.delete_app_instance(project, created.id).status.value)
    try:
        instances.get_app_instance(project, str(uuid.uuid4()))
        raise AssertionError("an unknown instance was found")
    except NotFoundException as e:
        print("error", e.status, e.body)
