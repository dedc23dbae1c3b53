package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The items of small dumps, as kubectl would print them.

func listOf(items ...string) string {
	return `{"apiVersion":"v1","kind":"List","items":[` + strings.Join(items, ",") + `]}`
}

// item makes an object, as an API server created it; more holds further fields of it, from
// outside in.
func item(kind, name string, more map[string]any) string {
	o := map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "creationTimestamp": "2026-01-01T00:00:00Z"}}
	for field, value := range more {
		if field == "metadata" {
			for k, v := range value.(map[string]any) {
				o["metadata"].(map[string]any)[k] = v
			}
			continue
		}
		o[field] = value
	}
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func nodeItem(name, cpu string) string {
	return item("Node", name, map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"name": name}},
		"status":   map[string]any{"allocatable": map[string]any{"cpu": cpu, "memory": "1Gi", "pods": "10"}},
	})
}

// podItem is a pod of namespace default, on a node or pending. Edits change its
// metadata, spec and status.
func podItem(name, node string, prio int, cpu string, edits ...func(meta, spec, status map[string]any)) string {
	meta := map[string]any{"labels": map[string]any{"app": name}}
	spec := map[string]any{
		"priority":   prio,
		"containers": []any{map[string]any{"name": "c", "resources": map[string]any{"requests": map[string]any{"cpu": cpu}}}},
	}
	status := map[string]any{}
	if node != "" {
		spec["nodeName"] = node
		status["startTime"] = "2026-01-01T00:00:00Z"
	}
	for _, edit := range edits {
		edit(meta, spec, status)
	}
	return item("Pod", name, map[string]any{"metadata": meta, "spec": spec, "status": status})
}

func started(at string) func(_, _, status map[string]any) {
	return func(_, _, status map[string]any) { status["startTime"] = at }
}

// created has the fields of a pod that an API server made.
func created(meta, _, _ map[string]any) { meta["uid"] = "u" }

// leaving has the fields of a pod that was pushed out and has not gone yet.
func leaving(meta, _, status map[string]any) {
	meta["deletionTimestamp"] = "2026-01-02T00:00:00Z"
	status["conditions"] = []any{map[string]any{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}}
}

func nominated(to string) func(_, _, status map[string]any) {
	return func(_, _, status map[string]any) { status["nominatedNodeName"] = to }
}

func classItem(name string, value int, isDefault bool) string {
	return item("PriorityClass", name, map[string]any{"value": value, "globalDefault": isDefault})
}

// budgetItem covers the pods that podItem makes under the name app.
func budgetItem(name, app string, allowed int) string {
	return item("PodDisruptionBudget", name, map[string]any{
		"spec":   map[string]any{"selector": map[string]any{"matchLabels": map[string]any{"app": app}}},
		"status": map[string]any{"disruptionsAllowed": allowed},
	})
}

func many(n int, f func(i int) string) []string {
	items := make([]string, n)
	for i := range items {
		items[i] = f(i)
	}
	return items
}

func numbered(prefix string, i int) string { return fmt.Sprintf("%s-%02d", prefix, i) }
