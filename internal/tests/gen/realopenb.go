package gen

import (
	"encoding/csv"
	"fmt"
	"maps"
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

// openb replaces nodes and pods by those of the trace, repeated as often as there are nodes to fill. It panics if the
// trace cannot be read, because a row that is asked for has to be there.
func (w *realWorld) openb(dir string) {
	machines, pods := openbTable(dir, "openb_node_list_all_node.csv"), openbTable(dir, "openb_pod_list_default.csv")
	priorities := map[string]int32{"Guaranteed": 2000, "LS": 1000, "Burstable": 100}
	count := len(w.cluster.Nodes)
	w.cluster.Nodes, w.cluster.Pods, w.owner = nil, nil, nil
	next := 0
	for i := range count {
		// Machines are taken in strides, so that small clusters have some of each model.
		machine := machines[i*401%len(machines)]
		n := realNode(i)
		n.Allocatable, n.Labels = openbList(machine), maps.Clone(n.Labels)
		n.Allocatable[resource.Pods] = resource.New(110)
		if machine[4] != "" {
			n.Labels[openbModelKey] = machine[4]
		}
		w.cluster.Nodes = append(w.cluster.Nodes, n)

		// Pods come in the order of the trace, and those that do not fit are passed over.
		free := openbAmounts(machine)
		for missed := 0; missed < 60; next++ {
			row := pods[next%len(pods)]
			asks := openbAmounts(row)
			if asks[0] > free[0] || asks[1] > free[1] || asks[2] > free[2] {
				missed++
				continue
			}
			for k := range asks {
				free[k] -= asks[k]
			}
			w.cluster.Pods = append(w.cluster.Pods, &outrank.Pod{
				Name: fmt.Sprintf("%s-%06d", row[0], len(w.cluster.Pods)), Namespace: realTeam(next), Labels: map[string]string{realAppKey: "openb"},
				NodeName: n.Name, Phase: outrank.PhaseRunning, Priority: outrank.Priority(priorities[row[6]]),
				StartTime:  Now.Add(-time.Duration(1+w.r.Int64N(10_000_000)) * time.Second),
				Containers: []outrank.Container{{Name: "main", Requests: openbList(row)}},
			})
		}
	}
	w.preemptor.Containers[0].Requests = resource.List{resource.CPU: resource.New(12), resource.Memory: resource.NewBinary(48 << 30), openbGPU: resource.New(2)}
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
