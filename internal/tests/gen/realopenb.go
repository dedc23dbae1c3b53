package gen

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// openbGPU and openbModelKey are the resource and the label under which nodes of the openb trace offer their GPUs.
const (
	openbGPU      resource.Name = "alibabacloud.com/gpu"
	openbModelKey string        = "alibabacloud.com/gpu-model"
)

// openbRows returns the rows that are made from the trace in the folder OPENB: nodes and pods of its sizes, with
// priorities by QoS class. There are none if OPENB is not set.
func openbRows() []realRow {
	dir := os.Getenv("OPENB")
	if dir == "" {
		return nil
	}
	fill := func(w *realWorld) { w.openb(dir) }
	return []realRow{
		{"openb", fill, realLabelled},
		{"openb-model", fill, func(p *outrank.Pod, name string) {
			realHash(p, name)
			realWants(p, outrank.NodeRequirement{Key: openbModelKey, Operator: outrank.In, Values: []string{"T4", "P100", "absent-" + name}})
		}},
	}
}

// openbPriorities maps the QoS classes of the trace to priorities. Others have none.
var openbPriorities = map[string]int32{"Guaranteed": 2000, "LS": 1000, "Burstable": 100}

// openb replaces nodes and pods by those of the trace, repeated as often as there are nodes to fill. It panics if the
// trace cannot be read, because a row that is asked for has to be there.
func (w *realWorld) openb(dir string) {
	machines := openbTable(dir, "openb_node_list_all_node.csv")
	pods := &openbPods{rows: openbTable(dir, "openb_pod_list_default.csv")}
	count := len(w.cluster.Nodes)
	w.cluster.Nodes, w.cluster.Pods, w.owner = nil, nil, nil
	for i := range count {
		// The stride is prime to the number of machines, so that small clusters have some of each model, too.
		w.fillOpenb(i, machines[i*401%len(machines)], pods)
	}
	w.preemptor.Containers[0].Requests = resource.List{resource.CPU: resource.New(12), resource.Memory: resource.NewBinary(48 << 30), openbGPU: resource.New(2)}
}

// openbPods are the pods of the trace. The next one is next, and after the last comes the first again.
type openbPods struct {
	rows [][]string
	next int
}

// fillOpenb adds the node with index i, a machine of the trace, and the next pods that fit. It passes over up to sixty
// that do not.
func (w *realWorld) fillOpenb(i int, machine []string, pods *openbPods) {
	n := realNode(i)
	n.Allocatable = openbList(machine)
	n.Allocatable[resource.Pods] = resource.New(110)
	if model := machine[4]; model != "" {
		n.Labels[openbModelKey] = model
	}
	w.cluster.Nodes = append(w.cluster.Nodes, n)

	free := openbAmounts(machine)
	for missed := 0; missed < 60; pods.next++ {
		row := pods.rows[pods.next%len(pods.rows)]
		asks := openbAmounts(row)
		if asks[0] > free[0] || asks[1] > free[1] || asks[2] > free[2] {
			missed++
			continue
		}
		for k := range asks {
			free[k] -= asks[k]
		}
		w.cluster.Pods = append(w.cluster.Pods, &outrank.Pod{
			Name: fmt.Sprintf("%s-%06d", row[0], len(w.cluster.Pods)), Namespace: realTeam(pods.next), Labels: map[string]string{realAppKey: "openb"},
			NodeName: n.Name, Phase: outrank.PhaseRunning, Priority: outrank.Priority(openbPriorities[row[6]]),
			StartTime:  Now.Add(-time.Duration(1+w.r.Int64N(10_000_000)) * time.Second),
			Containers: []outrank.Container{{Name: "main", Requests: openbList(row)}},
		})
	}
}

// openbTable returns the rows of a file of the trace without its head.
func openbTable(dir, name string) [][]string {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		panic(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		panic(err)
	}
	return rows[1:]
}

// openbAmounts returns a row's cpu in thousandths, memory in mebibytes and number of GPUs.
func openbAmounts(row []string) (amounts [3]int64) {
	for k := range amounts {
		amounts[k], _ = strconv.ParseInt(row[k+1], 10, 64)
	}
	return amounts
}

// openbList returns what openbAmounts does as a list, without GPUs where there are none.
func openbList(row []string) resource.List {
	amounts := openbAmounts(row)
	l := realSize{amounts[0], amounts[1]}.list()
	if amounts[2] > 0 {
		l[openbGPU] = resource.New(amounts[2])
	}
	return l
}
