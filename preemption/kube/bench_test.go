package kube_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/outrank-go/outrank/preemption/kube"
)

// BenchmarkReadCluster reads a dump of pods of some 2 KB each.
func BenchmarkReadCluster(b *testing.B) {
	const pods = 10_000
	text := bigDump(pods)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		c, err := kube.ReadCluster(bytes.NewReader(text))
		if err != nil || len(c.Pods) != pods {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(pods*b.N)/b.Elapsed().Seconds(), "pods/s")
}

// bigDump is kubectl's output of so many pods, most of it of no interest.
func bigDump(pods int) []byte {
	var b bytes.Buffer
	b.WriteString("{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n")
	for i := range pods {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, podText, i%40, i%40, i, i%4, i%40, i, 100+100*(i%7), 128*(1+i%16), i%1000)
	}
	b.WriteString("\n    ],\n    \"kind\": \"List\"\n}\n")
	return b.Bytes()
}

const podText = `        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "annotations": {"prometheus.io/scrape": "true", "prometheus.io/path": "/metrics"},
                "creationTimestamp": "2026-01-10T12:00:00Z",
                "labels": {"app": "web-%d", "pod-template-hash": "7d9f8b6c5"},
                "name": "web-%d-7d9f8b6c5-%06d",
                "namespace": "team-%d",
                "ownerReferences": [{"apiVersion": "apps/v1", "controller": true, "kind": "ReplicaSet", "name": "web-%d-7d9f8b6c5"}],
                "uid": "0a9c1f0e-2b1d-4c3e-9f8a-%012d"
            },
            "spec": {
                "containers": [
                    {
                        "env": [
                            {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
                            {"name": "OPTIONS", "value": "--quoted \"text\" --and=more"}
                        ],
                        "image": "registry.example/web:1.2.3",
                        "name": "web",
                        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
                        "resources": {
                            "limits": {"cpu": "2", "memory": "4Gi"},
                            "requests": {"cpu": "%dm", "memory": "%dMi"}
                        },
                        "volumeMounts": [{"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "token", "readOnly": true}]
                    }
                ],
                "nodeName": "node-%04d",
                "priority": 100,
                "restartPolicy": "Always",
                "tolerations": [{"effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 300}],
                "volumes": [{"name": "token", "projected": {"defaultMode": 420, "sources": [{"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}]}}]
            },
            "status": {
                "conditions": [
                    {"lastTransitionTime": "2026-01-10T12:00:09Z", "status": "True", "type": "Ready"},
                    {"lastTransitionTime": "2026-01-10T12:00:01Z", "status": "True", "type": "PodScheduled"}
                ],
                "containerStatuses": [{"image": "registry.example/web:1.2.3", "name": "web", "ready": true, "restartCount": 0, "state": {"running": {"startedAt": "2026-01-10T12:00:08Z"}}}],
                "phase": "Running", "qosClass": "Burstable", "startTime": "2026-01-10T12:00:01Z"
            }
        }`
