package main

import (
	"fmt"
	"strconv"
	"time"
)

// created is when the first object was made. The others follow one second after the other.
var created = time.Date(2026, 1, 10, 8, 0, 0, 0, time.UTC)

// stamp returns the time of the object that is made now.
func (f *fleet) stamp() string {
	return created.Add(time.Duration(f.made) * time.Second).Format(time.RFC3339)
}

// uid returns an identity that no two numbers share.
func uid(i int) string { return fmt.Sprintf("%08x-7d1c-4f0e-9a51-%012x", i, i*7919) }

// newObject makes an object with its metadata, to which fields are added.
func (f *fleet) newObject(version, kind, namespace, name string, labels object) object {
	f.made++
	meta := object{"name": name, "uid": uid(f.made), "resourceVersion": strconv.Itoa(1000 + f.made), "creationTimestamp": f.stamp()}
	if namespace != "" {
		meta["namespace"] = namespace
	}
	if labels != nil {
		meta["labels"] = labels
	}
	return object{"apiVersion": version, "kind": kind, "metadata": meta}
}

func (f *fleet) classObject(i int) object {
	c := classes[i]
	o := f.newObject("scheduling.k8s.io/v1", "PriorityClass", "", c.name, nil)
	o["value"], o["globalDefault"], o["preemptionPolicy"] = c.value, i == usual, "PreemptLowerPriority"
	if c.never {
		o["preemptionPolicy"] = "Never"
	}
	return o
}

func (f *fleet) namespaceObject(name string) object {
	o := f.newObject("v1", "Namespace", "", name, object{"kubernetes.io/metadata.name": name})
	o["spec"], o["status"] = object{"finalizers": []string{"kubernetes"}}, object{"phase": "Active"}
	return o
}

// nodeObject makes the i-th node. One of a hundred is cordoned.
func (f *fleet) nodeObject(i int) object {
	p, name := pools[f.poolOf(i)], nodeName(i)
	o := f.newObject("v1", "Node", "", name, object{
		"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
		"node.kubernetes.io/instance-type": p.name + ".4xlarge", "pool": p.name,
		"topology.kubernetes.io/region": "eu-1", "topology.kubernetes.io/zone": fmt.Sprintf("eu-1%c", 'a'+i%zones),
	})

	spec := object{"podCIDR": fmt.Sprintf("10.%d.%d.0/24", i/256, i%256), "providerID": "cloud:///" + name}
	var taints []object
	if f.poolOf(i) == 0 {
		taints = append(taints, object{"key": "pool", "value": p.name, "effect": "NoSchedule"})
	}
	if i%100 == 99 {
		spec["unschedulable"] = true
		taints = append(taints, object{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
	}
	if taints != nil {
		spec["taints"] = taints
	}

	offers := object{"cpu": fmt.Sprintf("%dm", p.milli), "memory": fmt.Sprintf("%dMi", p.mebi), "ephemeral-storage": "100Gi", "pods": "110"}
	o["spec"], o["status"] = spec, object{
		"allocatable": offers, "capacity": offers,
		"conditions": []object{{
			"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status",
			"lastHeartbeatTime": f.stamp(), "lastTransitionTime": f.stamp(),
		}},
		"nodeInfo": object{"kubeletVersion": "v1.37.0", "operatingSystem": "linux", "architecture": "amd64", "containerRuntimeVersion": "containerd://2.2.0"},
	}
	return o
}

// podObject makes one more pod of a workload on a node, or one that waits if the node's name is empty.
func (f *fleet) podObject(w *workload, node string) object {
	w.made++
	name, app := fmt.Sprintf("%s-%05x", w.name, w.made), w.name
	if w.kind == "StatefulSet" {
		name = fmt.Sprintf("%s-%d", w.name, w.made)
	}
	f.used[w.namespace] += w.milli
	o := f.newObject("v1", "Pod", w.namespace, name, object{"app": app, "app.kubernetes.io/managed-by": "deployer", "tier": w.kind})
	o["metadata"].(object)["ownerReferences"] = []object{{
		"apiVersion": "apps/v1", "kind": w.kind, "name": w.name, "uid": app + "-uid", "controller": true, "blockOwnerDeletion": true,
	}}
	o["spec"], o["status"] = f.podSpec(w, node), f.podStatus(node)
	return o
}

// container makes the container of a pod. Beside what is requested it has what the dumps of clusters are full of, and
// a value with a mark of comments, which YAML has to quote.
func (w *workload) container() object {
	amounts := object{"cpu": fmt.Sprintf("%dm", w.milli), "memory": fmt.Sprintf("%dMi", w.mebi)}
	return object{
		"name": "main", "image": "registry.example/" + w.namespace + "/" + w.name + ":1.4.2", "imagePullPolicy": "IfNotPresent",
		"env": []object{
			{"name": "REGION", "value": "eu-1"},
			{"name": "JAVA_OPTS", "value": "-Xmx1g -XX:+UseG1GC # as the team asked"},
		},
		"ports":                  []object{{"containerPort": 8080, "name": "http", "protocol": "TCP"}},
		"resources":              object{"requests": amounts, "limits": object{"memory": amounts["memory"]}},
		"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
		"volumeMounts": []object{{"mountPath": "/etc/app", "name": "config"}},
	}
}

// podSpec makes the spec of a pod, with what the API server fills in. Without a node the pod waits.
func (f *fleet) podSpec(w *workload, node string) object {
	class := classes[w.class]
	spec := object{
		"containers": []object{w.container()},

		"dnsPolicy": "ClusterFirst", "enableServiceLinks": true, "restartPolicy": "Always", "schedulerName": "default-scheduler",
		"securityContext": object{}, "serviceAccountName": "default", "terminationGracePeriodSeconds": 30,
		"preemptionPolicy": "PreemptLowerPriority", "priority": class.value, "priorityClassName": class.name,

		// The taints of a node that is lost are tolerated for five minutes.
		"tolerations": []object{
			{"effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 300},
			{"effect": "NoExecute", "key": "node.kubernetes.io/unreachable", "operator": "Exists", "tolerationSeconds": 300},
		},
		"volumes": []object{{"name": "config", "configMap": object{"defaultMode": 420, "name": w.name}}},
	}

	if class.never {
		spec["preemptionPolicy"] = "Never"
	}
	if node != "" {
		spec["nodeName"] = node
	}
	f.place(w, spec)
	return spec
}

// place adds what a workload says about its nodes. A DaemonSet's pod is for the node with its name, and tolerates
// everything. A StatefulSet keeps its pods apart, and a Deployment spreads them if it can.
func (f *fleet) place(w *workload, spec object) {
	same := object{"matchLabels": object{"app": w.name}}
	switch w.kind {
	case "DaemonSet":
		spec["tolerations"] = []object{{"operator": "Exists"}}
		spec["affinity"] = object{"nodeAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": object{"nodeSelectorTerms": []object{{
			"matchFields": []object{{"key": "metadata.name", "operator": "In", "values": []any{spec["nodeName"]}}},
		}}}}}
		return
	case "StatefulSet":
		spec["affinity"] = object{"podAntiAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": []object{
			{"topologyKey": "kubernetes.io/hostname", "labelSelector": same},
		}}}
	case "ReplicaSet":
		spec["topologySpreadConstraints"] = []object{
			{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": same},
		}
	}

	spec["nodeSelector"] = object{"pool": pools[w.pool].name}
	if w.pool == 0 {
		spec["tolerations"] = append(spec["tolerations"].([]object), object{"key": "pool", "operator": "Equal", "value": pools[0].name, "effect": "NoSchedule"})
	}
}

// podStatus makes the status of a pod that runs, or of one that waits.
func (f *fleet) podStatus(node string) object {
	if node == "" {
		return object{"phase": "Pending", "qosClass": "Burstable", "conditions": []object{{
			"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "lastTransitionTime": f.stamp(),
		}}}
	}
	is := func(kind string) object {
		return object{"type": kind, "status": "True", "lastProbeTime": nil, "lastTransitionTime": f.stamp()}
	}
	return object{
		"phase": "Running", "qosClass": "Burstable", "startTime": f.stamp(), "podIP": "10.0.0.1", "hostIP": "192.168.0.1",
		"conditions": []object{is("PodScheduled"), is("Ready")},
		"containerStatuses": []object{{
			"name": "main", "ready": true, "started": true, "restartCount": 0, "image": "registry.example/app:1.4.2",
			"imageID":     "registry.example/app@sha256:5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
			"containerID": "containerd://" + uid(f.made), "state": object{"running": object{"startedAt": f.stamp()}},
		}},
	}
}

// waitingObject makes the i-th pod that waits. In turn they are small enough to fit in some places, of a class
// that pushes others out, and of one that pushes nobody out.
func (f *fleet) waitingObject(i int) object {
	in := f.draw.IntN(len(pools))
	w := *f.workloads[in][f.draw.IntN(len(f.workloads[in]))]
	w.name, w.made, w.budget = fmt.Sprintf("wait-%d", i/4), i, -1
	switch i / 4 % 3 {
	case 0:
		w.milli, w.mebi = 50, 64
	case 1:
		w.class, w.milli = 3, 2*w.milli
	default:
		w.class = len(classes) - 1
	}
	return f.podObject(&w, "")
}

// budgetObject makes the disruption budget of a workload.
func (f *fleet) budgetObject(w *workload) object {
	o := f.newObject("policy/v1", "PodDisruptionBudget", w.namespace, w.name, nil)
	allowed := min(w.budget, w.made)
	o["spec"] = object{"maxUnavailable": w.budget, "selector": object{"matchLabels": object{"app": w.name}}}
	o["status"] = object{
		"currentHealthy": w.made, "desiredHealthy": w.made - allowed, "expectedPods": w.made,
		"disruptionsAllowed": allowed, "observedGeneration": 1,
	}
	return o
}

// quotaObject makes the quota of a namespace, which its pods have nearly used up.
func (f *fleet) quotaObject(namespace string) object {
	o := f.newObject("v1", "ResourceQuota", namespace, "compute", nil)
	used := f.used[namespace]
	hard := object{"requests.cpu": fmt.Sprintf("%dm", used+used/20)}
	o["spec"] = object{"hard": hard}
	o["status"] = object{"hard": hard, "used": object{"requests.cpu": fmt.Sprintf("%dm", used)}}
	return o
}
