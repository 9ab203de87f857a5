"""Checks what the official Python client does against a server. Prints one line for each step; an error ends it."""

import sys
import threading
import time

from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException

NAMESPACE = "python"


def step(name, work):
    work()
    print(name, flush=True)


def expect_error(status, reason, work):
    try:
        work()
    except ApiException as error:
        assert error.status == status, error
        assert reason in error.body, error.body
        return
    raise AssertionError(f"no error {status} {reason}")


def config_map(name, value):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels={"of": "python"}), data={"key": value})


def objects():
    core = client.CoreV1Api()
    created = core.create_namespaced_config_map(NAMESPACE, config_map("one", "a"))
    assert created.metadata.uid and created.metadata.resource_version
    expect_error(409, "AlreadyExists", lambda: core.create_namespaced_config_map(NAMESPACE, config_map("one", "a")))
    listed = core.list_namespaced_config_map(NAMESPACE, label_selector="of=python")
    assert [item.metadata.name for item in listed.items] == ["one"]
    patched = core.patch_namespaced_config_map("one", NAMESPACE, {"data": {"key": "b"}})
    assert patched.data == {"key": "b"}
    created.data = {"key": "c"}
    expect_error(409, "Conflict", lambda: core.replace_namespaced_config_map("one", NAMESPACE, created))
    operations = [{"op": "replace", "path": "/data/key", "value": "d"}]
    assert core.patch_namespaced_config_map("one", NAMESPACE, operations).data == {"key": "d"}
    core.delete_namespaced_config_map("one", NAMESPACE)
    expect_error(404, "NotFound", lambda: core.read_namespaced_config_map("one", NAMESPACE))


def workloads():
    apps = client.AppsV1Api()
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels={"app": "web"}),
        spec=client.V1PodSpec(containers=[client.V1Container(name="main", image="one")]),
    )
    spec = client.V1DeploymentSpec(
        replicas=2, selector=client.V1LabelSelector(match_labels={"app": "web"}), template=template
    )
    deployment = client.V1Deployment(metadata=client.V1ObjectMeta(name="web"), spec=spec)
    apps.create_namespaced_deployment(NAMESPACE, deployment)
    image = {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "two"}]}}}}
    patched = apps.patch_namespaced_deployment("web", NAMESPACE, image)
    assert patched.spec.template.spec.containers[0].image == "two" and patched.metadata.generation == 2
    scale = apps.patch_namespaced_deployment_scale("web", NAMESPACE, {"spec": {"replicas": 3}})
    assert scale.spec.replicas == 3
    apps.delete_collection_namespaced_deployment(NAMESPACE)
    assert apps.list_namespaced_deployment(NAMESPACE).items == []


def watching():
    core = client.CoreV1Api()
    version = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version

    def change():
        time.sleep(0.2)
        core.create_namespaced_config_map(NAMESPACE, config_map("seen", "a"))
        core.patch_namespaced_config_map("seen", NAMESPACE, {"data": {"key": "b"}})
        core.delete_namespaced_config_map("seen", NAMESPACE)

    changes = threading.Thread(target=change)
    changes.start()
    stream = watch.Watch()
    seen = []
    for event in stream.stream(
        core.list_namespaced_config_map, NAMESPACE, label_selector="of=python", resource_version=version, timeout_seconds=20
    ):
        seen.append((event["type"], event["object"].data))
        if event["type"] == "DELETED":
            stream.stop()
    changes.join()
    assert [kind for kind, _ in seen] == ["ADDED", "MODIFIED", "DELETED"], seen


def paging():
    core = client.CoreV1Api()
    for at in range(5):
        core.create_namespaced_config_map(NAMESPACE, config_map(f"page-{at}", "a"))
    names, token = [], None
    while True:
        page = core.list_namespaced_config_map(NAMESPACE, label_selector="of=python", limit=2, _continue=token)
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue
        if not token:
            break
    assert names == [f"page-{at}" for at in range(5)], names


def custom_resources():
    extensions = client.ApiextensionsV1Api()
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer", "minimum": 1}}}},
    }
    extensions.create_custom_resource_definition(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "shirts.python.example.com"},
            "spec": {
                "group": "python.example.com",
                "scope": "Namespaced",
                "names": {"plural": "shirts", "singular": "shirt", "kind": "Shirt"},
                "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
            },
        }
    )
    objects = client.CustomObjectsApi()
    place = ("python.example.com", "v1", NAMESPACE, "shirts")
    shirt = {"apiVersion": "python.example.com/v1", "kind": "Shirt", "metadata": {"name": "blue"}, "spec": {"size": 4}}
    for _ in range(200):
        try:
            objects.create_namespaced_custom_object(*place, shirt)
            break
        except ApiException as error:
            if error.status != 404:
                raise
            time.sleep(0.05)
    shirt["metadata"]["name"] = "none"
    shirt["spec"]["size"] = 0
    expect_error(422, "Invalid", lambda: objects.create_namespaced_custom_object(*place, shirt))
    patched = objects.patch_namespaced_custom_object(*place, "blue", {"spec": {"size": 5}})
    assert patched["spec"]["size"] == 5


def applying():
    """The dynamic client discovers the kinds by itself."""
    maps = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="ConfigMap")

    def apply(value, manager, force=False):
        body = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "applied", "namespace": NAMESPACE},
            "data": {"key": value},
        }
        return maps.server_side_apply(body, namespace=NAMESPACE, field_manager=manager, force_conflicts=force)

    apply("a", "first")
    try:
        apply("b", "second")
        raise AssertionError("no conflict")
    except dynamic.exceptions.ConflictError:
        pass
    assert apply("b", "second", force=True).data["key"] == "b"


def reviews():
    review = client.V1SelfSubjectAccessReview(
        spec=client.V1SelfSubjectAccessReviewSpec(
            resource_attributes=client.V1ResourceAttributes(verb="list", resource="pods")
        )
    )
    assert client.AuthorizationV1Api().create_self_subject_access_review(review).status.allowed
    core = client.CoreV1Api()
    core.create_namespaced_service_account(NAMESPACE, client.V1ServiceAccount(metadata=client.V1ObjectMeta(name="robot")))
    request = client.AuthenticationV1TokenRequest(
        spec=client.V1TokenRequestSpec(audiences=["https://kubernetes.default.svc"], expiration_seconds=600)
    )
    token = core.create_namespaced_service_account_token("robot", NAMESPACE, request).status.token
    review = client.V1TokenReview(spec=client.V1TokenReviewSpec(token=token))
    status = client.AuthenticationV1Api().create_token_review(review).status
    assert status.authenticated and status.user.username == f"system:serviceaccount:{NAMESPACE}:robot"


def main():
    config.load_kube_config()
    step("version", lambda: client.VersionApi().get_code())
    client.CoreV1Api().create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))
    step("create, list, patch and delete", objects)
    step("workloads", workloads)
    step("watch", watching)
    step("list in pages", paging)
    step("custom resource", custom_resources)
    step("server-side apply with the dynamic client", applying)
    step("access reviews and tokens", reviews)
    step("delete the namespace", lambda: client.CoreV1Api().delete_namespace(NAMESPACE))


if __name__ == "__main__":
    sys.exit(main())
