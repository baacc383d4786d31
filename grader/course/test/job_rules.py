"""Is the file a Job that Kubernetes would take, as far as its rules can be read without a cluster? Prints the command of its container.

Each object may have the keys listed here and no others, so that a misspelt one is found; names, quantities and mounts are held against each other.
"""
import re
import sys

import yaml

KEYS = {
    "": "apiVersion kind metadata spec",
    "metadata": "name namespace labels annotations",
    "spec": "backoffLimit activeDeadlineSeconds ttlSecondsAfterFinished template completions parallelism completionMode",
    "spec.template": "metadata spec",
    "spec.template.spec": "restartPolicy automountServiceAccountToken hostUsers containers volumes nodeSelector tolerations",
    "container": "name image command args env resources securityContext volumeMounts workingDir",
    "resources": "requests limits",
    "securityContext": "runAsUser procMount seccompProfile capabilities privileged",
}
QUANTITY = re.compile(r"[0-9]+(\.[0-9]+)?(m|Ki|Mi|Gi|Ti|k|M|G|T)?")
NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def only(object_, where):
    unknown = set(object_) - set(KEYS[where].split())
    assert not unknown, f"{where or 'top'}: unknown {sorted(unknown)}"
    return object_


def check(job):
    only(job, "")
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    assert NAME.fullmatch(only(job["metadata"], "metadata")["name"])
    pod = only(only(only(job["spec"], "spec")["template"], "spec.template")["spec"], "spec.template.spec")
    assert pod["restartPolicy"] in ("Never", "OnFailure"), "a Job's pods are not restarted always"
    volumes = [v["name"] for v in pod["volumes"]]
    assert len(set(volumes)) == len(volumes)
    gpus = 0
    for c in pod["containers"]:
        only(c, "container")
        assert NAME.fullmatch(c["name"]) and c["image"]
        assert all(isinstance(word, str) for word in c["command"]), "a command is a list of strings"
        assert all(isinstance(e["value"], str) for e in c.get("env", [])), "a value is a string"
        assert all(m["name"] in volumes and m["mountPath"].startswith("/") for m in c["volumeMounts"])
        needs = only(c["resources"], "resources")
        for amounts in needs.values():
            assert all(QUANTITY.fullmatch(str(q)) for q in amounts.values())
        gpu = needs["limits"].get("nvidia.com/gpu", 0)
        assert isinstance(gpu, int) and needs["requests"].get("nvidia.com/gpu", gpu) == gpu, "whole cards, under limits"
        gpus += gpu
        context = only(c["securityContext"], "securityContext")
        assert context.get("procMount", "Default") == "Default" or pod.get("hostUsers") is False, "Unmasked needs hostUsers: false"
    assert gpus == 1
    return pod["containers"][0]["command"]


if __name__ == "__main__":
    print("\n".join(check(yaml.safe_load(open(sys.argv[1], encoding="utf-8")))))
