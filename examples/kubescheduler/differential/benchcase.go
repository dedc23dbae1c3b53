package differential

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption/kube"
)

// matrixCase returns a row of the matrix on which outrank is measured, as API objects.
func matrixCase(row string, nodes, budgets int) (*Case, error) {
	cluster, preemptor := gen.Matrix(row, nodes, matrixPods, budgets)
	return caseOf(cluster, preemptor)
}

// matrixPods is the number of pods on each node of the matrix.
const matrixPods = 30

// caseOf returns a cluster with a preemptor as API objects. It goes through the dump of the cluster.
func caseOf(cluster *outrank.Cluster, preemptor *outrank.Pod) (*Case, error) {
	whole := *cluster
	whole.Pods = append(slices.Clip(cluster.Pods), preemptor)
	var text bytes.Buffer
	if err := kube.WriteCluster(&text, &whole); err != nil {
		return nil, err
	}
	var dump struct{ Items []json.RawMessage }
	if err := json.Unmarshal(text.Bytes(), &dump); err != nil {
		return nil, err
	}
	c := &Case{Kind: "matrix"}
	for _, item := range dump.Items {
		if err := c.add(item); err != nil {
			return nil, err
		}
	}
	last := len(c.Pods) - 1
	c.Pods, c.Preemptor = c.Pods[:last], c.Pods[last]
	return c, nil
}

// add adds an object of a dump to the list of its kind.
func (c *Case) add(item json.RawMessage) error {
	var kind metav1.TypeMeta
	if err := json.Unmarshal(item, &kind); err != nil {
		return err
	}

	switch kind.Kind {
	case "Namespace":
		return addTo(&c.Namespaces, item)
	case "Node":
		return addTo(&c.Nodes, item)
	case "PodDisruptionBudget":
		return addTo[policyv1.PodDisruptionBudget](&c.Budgets, item)
	case "PersistentVolume":
		return addTo(&c.Volumes, item)
	case "PersistentVolumeClaim":
		return addTo(&c.Claims, item)
	case "StorageClass":
		return addTo[storagev1.StorageClass](&c.StorageClasses, item)
	case "CSINode":
		return addTo[storagev1.CSINode](&c.CSINodes, item)
	case "CSIDriver":
		return addTo[storagev1.CSIDriver](&c.CSIDrivers, item)

	case "Pod":
		// Outrank's dump leaves out the UID and the scheduler's name, which kube-scheduler needs.
		if err := addTo(&c.Pods, item); err != nil {
			return err
		}
		p := c.Pods[len(c.Pods)-1]
		p.UID, p.Spec.SchedulerName = uid(p.Name), corev1.DefaultSchedulerName
		return nil
	}
	return fmt.Errorf("a dump with a %s", kind.Kind)
}

func addTo[T any](list *[]*T, item json.RawMessage) error {
	o := new(T)
	*list = append(*list, o)
	return json.Unmarshal(item, o)
}
