//! Checks what kube-rs does against a server: typed clients, patches, server-side apply, a watcher and a Controller.
//! Prints one line for each step; the first error ends it with exit code 1.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client, CustomResource, CustomResourceExt, Resource, ResourceExt,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams},
    runtime::{
        Controller,
        conditions,
        controller::Action,
        finalizer::{Event, finalizer},
        wait::await_condition,
        watcher,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::timeout;

const NAMESPACE: &str = "kube-rs";
const WITHIN: Duration = Duration::from_secs(30);

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "rust.example.com", version = "v1", kind = "Copy", namespaced, status = "CopyStatus")]
struct CopySpec {
    /// The data of the ConfigMap that the controller keeps.
    data: BTreeMap<String, String>,
    #[schemars(range(min = 0, max = 10))]
    #[serde(default)]
    delay: u32,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
struct CopyStatus {
    observed_generation: Option<i64>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let client = Client::try_default().await.context("the kubeconfig")?;
    step("version", async { Ok(client.apiserver_version().await.map(|_| ())?) }).await?;
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let namespace = serde_json::from_value(json!({ "metadata": { "name": NAMESPACE } }))?;
    namespaces.create(&PostParams::default(), &namespace).await?;
    step("create, list, patch and delete", objects(client.clone())).await?;
    step("server-side apply", apply(client.clone())).await?;
    step("watch", watch(client.clone())).await?;
    step("watcher with a list in pages", pages(client.clone())).await?;
    step("custom resource", definition(client.clone())).await?;
    step("controller with finalizer and owned objects", controller(client.clone())).await?;
    step("delete the namespace", async {
        namespaces.delete(NAMESPACE, &DeleteParams::default()).await?;
        Ok(())
    })
    .await
}

async fn step(name: &str, work: impl Future<Output = Result<()>>) -> Result<()> {
    timeout(WITHIN, work).await.with_context(|| format!("{name} takes too long"))?.context(name.to_owned())?;
    println!("{name}");
    Ok(())
}

fn config_map(name: &str, value: &str) -> Result<ConfigMap> {
    Ok(serde_json::from_value(json!({ "metadata": { "name": name, "labels": { "of": "rust" } }, "data": { "key": value } }))?)
}

fn value_of(map: &ConfigMap) -> Option<&str> {
    map.data.as_ref().and_then(|data| data.get("key")).map(String::as_str)
}

async fn objects(client: Client) -> Result<()> {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let created = maps.create(&PostParams::default(), &config_map("one", "a")?).await?;
    ensure!(created.resource_version().is_some() && created.uid().is_some());
    let error = maps.create(&PostParams::default(), &config_map("one", "a")?).await.unwrap_err();
    ensure!(matches!(&error, kube::Error::Api(status) if status.code == 409 && status.reason == "AlreadyExists"), "{error}");
    let listed = maps.list(&ListParams::default().labels("of=rust")).await?;
    ensure!(listed.items.len() == 1);
    let merged = maps.patch("one", &PatchParams::default(), &Patch::Merge(json!({ "data": { "key": "b" } }))).await?;
    ensure!(value_of(&merged) == Some("b"));
    let mut stale = created;
    stale.data = merged.data.clone();
    let error = maps.replace("one", &PostParams::default(), &stale).await.unwrap_err();
    ensure!(matches!(&error, kube::Error::Api(status) if status.code == 409 && status.reason == "Conflict"), "{error}");
    let pods: Api<Pod> = Api::namespaced(client, NAMESPACE);
    let pod = json!({ "metadata": { "name": "p" }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    pods.create(&PostParams::default(), &serde_json::from_value(pod)?).await?;
    let patched = pods.patch("p", &PatchParams::default(), &Patch::Strategic(json!({ "spec": { "containers": [{ "name": "c", "image": "j" }] } }))).await?;
    ensure!(patched.spec.is_some_and(|spec| spec.containers[0].image.as_deref() == Some("j")));
    let metadata = maps.get_metadata("one").await?;
    ensure!(metadata.name_any() == "one");
    maps.delete("one", &DeleteParams::default()).await?;
    ensure!(maps.get_opt("one").await?.is_none());
    Ok(())
}

async fn apply(client: Client) -> Result<()> {
    let maps: Api<ConfigMap> = Api::namespaced(client, NAMESPACE);
    let document = |value: &str| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "applied" }, "data": { "key": value } });
    maps.patch("applied", &PatchParams::apply("first"), &Patch::Apply(document("a"))).await?;
    let error = maps.patch("applied", &PatchParams::apply("second"), &Patch::Apply(document("b"))).await.unwrap_err();
    ensure!(matches!(&error, kube::Error::Api(status) if status.code == 409), "{error}");
    let forced = maps.patch("applied", &PatchParams::apply("second").force(), &Patch::Apply(document("b"))).await?;
    ensure!(value_of(&forced) == Some("b") && forced.managed_fields().len() == 1);
    Ok(())
}

async fn watch(client: Client) -> Result<()> {
    let maps: Api<ConfigMap> = Api::namespaced(client, NAMESPACE);
    let from = maps.list(&ListParams::default()).await?.metadata.resource_version.context("a version")?;
    let mut events = maps.watch(&WatchParams::default().labels("of=rust"), &from).await?.boxed();
    maps.create(&PostParams::default(), &config_map("seen", "a")?).await?;
    maps.patch("seen", &PatchParams::default(), &Patch::Merge(json!({ "data": { "key": "b" } }))).await?;
    maps.delete("seen", &DeleteParams::default()).await?;
    let mut seen = Vec::new();
    while seen.len() < 3 {
        match events.try_next().await?.context("an event")? {
            WatchEvent::Added(map) => seen.push(("added", map.name_any())),
            WatchEvent::Modified(map) => seen.push(("modified", map.name_any())),
            WatchEvent::Deleted(map) => seen.push(("deleted", map.name_any())),
            WatchEvent::Bookmark(_) => {}
            WatchEvent::Error(status) => anyhow::bail!("{status:?}"),
        }
    }
    ensure!(seen.iter().map(|(kind, _)| *kind).collect::<Vec<_>>() == ["added", "modified", "deleted"]);
    Ok(())
}

async fn pages(client: Client) -> Result<()> {
    let maps: Api<ConfigMap> = Api::namespaced(client, NAMESPACE);
    for at in 0..7 {
        maps.create(&PostParams::default(), &config_map(&format!("page-{at}"), "a")?).await?;
    }
    for config in [watcher::Config::default().page_size(2), watcher::Config::default().streaming_lists()] {
        let mut events = watcher(maps.clone(), config.labels("of=rust")).boxed();
        let mut found = 0;
        loop {
            match events.try_next().await?.context("an event")? {
                watcher::Event::InitApply(_) => found += 1,
                watcher::Event::InitDone => break,
                _ => {}
            }
        }
        ensure!(found == 7, "{found} of 7 objects");
    }
    Ok(())
}

async fn definition(client: Client) -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let name = Copy::crd().name_any();
    definitions.patch(&name, &PatchParams::apply("rust").force(), &Patch::Apply(Copy::crd())).await?;
    await_condition(definitions, &name, conditions::is_crd_established()).await?;
    let copies: Api<Copy> = Api::namespaced(client, NAMESPACE);
    let mut invalid = Copy::new("invalid", CopySpec { data: BTreeMap::new(), delay: 11 });
    let error = copies.create(&PostParams::default(), &invalid).await.unwrap_err();
    ensure!(matches!(&error, kube::Error::Api(status) if status.code == 422), "{error}");
    invalid.spec.delay = 10;
    copies.create(&PostParams::dry_run_of(), &invalid).await?;
    ensure!(copies.list(&ListParams::default()).await?.items.is_empty());
    Ok(())
}

trait DryRun {
    fn dry_run_of() -> Self;
}

impl DryRun for PostParams {
    fn dry_run_of() -> Self {
        PostParams { dry_run: true, ..PostParams::default() }
    }
}

async fn controller(client: Client) -> Result<()> {
    let copies: Api<Copy> = Api::namespaced(client.clone(), NAMESPACE);
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let running = tokio::spawn(
        Controller::new(copies.clone(), watcher::Config::default())
            .owns(maps.clone(), watcher::Config::default())
            .run(reconcile, |_, error, _| { eprintln!("{error}"); Action::requeue(Duration::from_secs(1)) }, Arc::new(client))
            .for_each(|_| futures::future::ready(())),
    );
    let data = BTreeMap::from([("key".to_owned(), "a".to_owned())]);
    copies.create(&PostParams::default(), &Copy::new("copy", CopySpec { data, delay: 0 })).await?;
    await_condition(maps.clone(), "copy", |map: Option<&ConfigMap>| map.and_then(value_of) == Some("a")).await?;
    // What the controller owns is made again.
    maps.delete("copy", &DeleteParams::default()).await?;
    await_condition(maps.clone(), "copy", |map: Option<&ConfigMap>| map.and_then(value_of) == Some("a")).await?;
    copies.patch("copy", &PatchParams::default(), &Patch::Merge(json!({ "spec": { "data": { "key": "b" } } }))).await?;
    await_condition(maps.clone(), "copy", |map: Option<&ConfigMap>| map.and_then(value_of) == Some("b")).await?;
    await_condition(copies.clone(), "copy", |copy: Option<&Copy>| {
        copy.and_then(|copy| copy.status.as_ref()?.observed_generation) == Some(2)
    })
    .await?;
    copies.delete("copy", &DeleteParams::default()).await?;
    await_condition(copies, "copy", |copy: Option<&Copy>| copy.is_none()).await?;
    running.abort();
    Ok(())
}

async fn reconcile(copy: Arc<Copy>, client: Arc<Client>) -> Result<Action, kube::runtime::finalizer::Error<kube::Error>> {
    let copies: Api<Copy> = Api::namespaced((*client).clone(), NAMESPACE);
    let maps: Api<ConfigMap> = Api::namespaced((*client).clone(), NAMESPACE);
    finalizer(&copies.clone(), "rust.example.com/copy", copy, |event| async move {
        match event {
            Event::Apply(copy) => {
                let owner = copy.controller_owner_ref(&()).expect("a stored object");
                let map = json!({
                    "apiVersion": "v1", "kind": "ConfigMap",
                    "metadata": { "name": copy.name_any(), "ownerReferences": [owner] },
                    "data": copy.spec.data,
                });
                maps.patch(&copy.name_any(), &PatchParams::apply("copier").force(), &Patch::Apply(map)).await?;
                let status = json!({ "status": { "observed_generation": copy.metadata.generation } });
                copies.patch_status(&copy.name_any(), &PatchParams::default(), &Patch::Merge(status)).await?;
            }
            Event::Cleanup(copy) => {
                maps.delete(&copy.name_any(), &DeleteParams::default()).await?;
            }
        }
        Ok(Action::await_change())
    })
    .await
}
