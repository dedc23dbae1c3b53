package workload

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "draw the sample anew")

// drawNodes: eight nodes with CPUs alone, two with four large GPUs, two with
// eight small ones.
func drawNodes() []byte {
	var b bytes.Buffer
	b.WriteString("sn,cpu_milli,memory_mib,gpu,model\n")
	for i := range 8 {
		fmt.Fprintf(&b, "cpu-%02d,16000,65536,0,\n", i+1)
	}
	for i := range 4 {
		gpus, model := 4, "large"
		if i >= 2 {
			gpus, model = 8, "small"
		}
		fmt.Fprintf(&b, "gpu-%02d,32000,131072,%d,%s\n", i+1, gpus, model)
	}
	return b.Bytes()
}

// kindOfPod has the fields that the pods of one kind share; ranges are drawn
// from evenly, both ends included.
type kindOfPod struct {
	name, class string
	pods        int
	cores, gibs [2]int
	minutes     [2]int // of arrival
	lasts       [2]int // minutes
	gpus, share int
	models      string
	endless     bool
}

var kindsOfPods = []kindOfPod{
	// Batch work comes first and stays long: more than there is room for.
	{name: "batch", class: "BE", pods: 45, cores: [2]int{4, 8}, gibs: [2]int{8, 32}, minutes: [2]int{0, 50}, lasts: [2]int{40, 100}},
	{name: "train", class: "BE", pods: 8, cores: [2]int{4, 8}, gibs: [2]int{16, 32}, minutes: [2]int{0, 40}, lasts: [2]int{60, 120}, gpus: 2},
	{name: "report", class: "Burstable", pods: 25, cores: [2]int{1, 4}, gibs: [2]int{2, 8}, minutes: [2]int{10, 110}, lasts: [2]int{10, 40}},
	// Services come in two waves.
	{name: "web", class: "LS", pods: 26, cores: [2]int{2, 6}, gibs: [2]int{4, 16}, minutes: [2]int{30, 45}, lasts: [2]int{30, 60}},
	{name: "shop", class: "LS", pods: 24, cores: [2]int{2, 8}, gibs: [2]int{4, 16}, minutes: [2]int{75, 90}, lasts: [2]int{20, 50}},
	{name: "infer", class: "LS", pods: 14, cores: [2]int{1, 4}, gibs: [2]int{4, 16}, minutes: [2]int{35, 95}, lasts: [2]int{20, 60}, gpus: 1, share: 400, models: "large|small"},
	{name: "model", class: "LS", pods: 3, cores: [2]int{4, 8}, gibs: [2]int{16, 32}, minutes: [2]int{50, 70}, lasts: [2]int{30, 60}, gpus: 4, models: "large"},
	{name: "ledger", class: "Guaranteed", pods: 5, cores: [2]int{6, 12}, gibs: [2]int{16, 48}, minutes: [2]int{20, 100}, endless: true},
}

func drawPods() []byte {
	dice := rand.New(rand.NewPCG(2026, 1))
	between := func(r [2]int) int { return r[0] + dice.IntN(r[1]-r[0]+1) }
	var b bytes.Buffer
	b.WriteString("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time,scheduled_time\n")
	for _, k := range kindsOfPods {
		for i := range k.pods {
			arrival := between(k.minutes)*60 + dice.IntN(60)
			end := fmt.Sprint(arrival + between(k.lasts)*60)
			if k.endless {
				end = ""
			}
			share := ""
			if k.share > 0 {
				share = fmt.Sprint(k.share)
			}
			fmt.Fprintf(&b, "%s-%d,%d,%d,%d,%s,%s,%s,%d,%s,%d\n", k.name, i+1,
				between(k.cores)*1000, between(k.gibs)*1024, k.gpus, share, k.models, k.class, arrival, end, arrival)
		}
	}
	return b.Bytes()
}

// The functions above draw the sample.
func TestSampleAsDrawn(t *testing.T) {
	nodes, pods := drawNodes(), drawPods()
	if *update {
		require.NoError(t, os.WriteFile("sample/nodes.csv", nodes, 0o644))
		require.NoError(t, os.WriteFile("sample/pods.csv", pods, 0o644))
		return // the embedded sample is still the old one
	}
	require.Equal(t, string(nodes), string(embeddedNodes))
	require.Equal(t, string(pods), string(embeddedPods))
}

// The sample is worth simulating: for a while everybody wants more than there
// is, but those above batch work would all find room.
func TestSampleIsCrowded(t *testing.T) {
	nodes, err := SampleNodes(NodeConfig{})
	require.NoError(t, err)
	items, err := SamplePods(DefaultClasses())
	require.NoError(t, err)
	require.Len(t, nodes, 12)
	require.Len(t, items, 150)

	capacity := Capacity(nodes)
	var services []Item
	for _, item := range items {
		if item.Pod.PriorityValue() > 0 {
			services = append(services, item)
		}
	}
	all, some := peak(items), peak(services)
	require.Greater(t, all.MilliCPU, capacity.MilliCPU)
	require.Less(t, some.MilliCPU, capacity.MilliCPU)
	require.Less(t, some.Memory, capacity.Memory)
	require.Less(t, some.MilliGPU, capacity.MilliGPU)
}

func peak(items []Item) (most Amounts) {
	for _, p := range Demand(items) {
		most.MilliCPU = max(most.MilliCPU, p.Asked.MilliCPU)
		most.Memory = max(most.Memory, p.Asked.Memory)
		most.MilliGPU = max(most.MilliGPU, p.Asked.MilliGPU)
	}
	return most
}
