package resource_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/outrank-go/outrank/resource"
)

func ExampleParse() {
	q, err := resource.Parse("1.5Gi")
	fmt.Println(q, q.Value(), q.Format(), err)

	_, err = resource.Parse("1 Gi")
	fmt.Println(err)
	fmt.Println(errors.Is(err, resource.ErrSyntax))
	// Output:
	// 1536Mi 1610612736 BinarySI <nil>
	// resource: not a quantity: "1 Gi": unknown suffix
	// true
}

func ExampleMustParse() {
	fmt.Println(resource.MustParse("0.1"))
	// Output: 100m
}

func ExampleNew() {
	fmt.Println(resource.New(3), resource.New(2_000_000))
	// Output: 3 2M
}

func ExampleNewMilli() {
	fmt.Println(resource.NewMilli(250), resource.NewMilli(4000))
	// Output: 250m 4
}

func ExampleNewBinary() {
	fmt.Println(resource.NewBinary(64<<20), resource.NewBinary(1000<<10))
	// Output: 64Mi 1000Ki
}

func ExampleQuantity_Value() {
	for _, text := range []string{"1n", "-1500m", "12E"} {
		fmt.Println(resource.MustParse(text).Value())
	}
	// Output:
	// 1
	// -2
	// 9223372036854775807
}

func ExampleQuantity_MilliValue() {
	for _, text := range []string{"0.25", "1u", "1E"} {
		fmt.Println(resource.MustParse(text).MilliValue())
	}
	// Output:
	// 250
	// 1
	// 9223372036854775807
}

func ExampleQuantity_String() {
	for _, text := range []string{"+0.50", "2048Mi", "0.1Ki", "1500", "12E2"} {
		fmt.Println(text, "is", resource.MustParse(text))
	}
	// Output:
	// +0.50 is 500m
	// 2048Mi is 2Gi
	// 0.1Ki is 102400m
	// 1500 is 1500
	// 12E2 is 1200
}

func ExampleQuantity_Cmp() {
	a, b := resource.MustParse("1G"), resource.MustParse("1Gi")
	fmt.Println(a.Cmp(b), b.Cmp(a), a.Equal(resource.MustParse("1000M")))
	// Output: -1 1 true
}

func ExampleQuantity_Add() {
	free := resource.MustParse("2Gi").Sub(resource.MustParse("512Mi"))
	fmt.Println(free, free.Add(resource.MustParse("512Mi")))
	// Output: 1536Mi 2Gi
}

func ExampleQuantity_UnmarshalJSON() {
	var requests resource.List
	err := json.Unmarshal([]byte(`{"cpu": 0.1, "memory": "64Mi"}`), &requests)
	fmt.Println(requests, err)
	// Output: cpu: 100m, memory: 64Mi <nil>
}

func ExampleAmount() {
	q := resource.MustParse("1.5")
	fmt.Println(resource.Amount(resource.CPU, q), resource.Amount(resource.Memory, q))
	// Output: 1500 2
}

func ExampleList_Amount() {
	requests := resource.MustList("cpu", "500m", "memory", "1Ki")
	fmt.Println(requests.Amount("cpu"), requests.Amount("memory"), requests.Amount("example.com/gpu"))
	// Output: 500 1024 0
}

func ExampleList_Plus() {
	app := resource.MustList("cpu", "500m", "memory", "1Gi")
	sidecar := resource.MustList("cpu", "100m", "ephemeral-storage", "1Gi")
	fmt.Println(app.Plus(sidecar))
	// Output: cpu: 600m, ephemeral-storage: 1Gi, memory: 1Gi
}

func ExampleList_Max() {
	app := resource.MustList("cpu", "500m", "memory", "1Gi")
	step := resource.MustList("cpu", "2", "memory", "64Mi")
	fmt.Println(app.Max(step))
	// Output: cpu: 2, memory: 1Gi
}

func ExampleList_Equal() {
	a, b := resource.MustList("memory", "1Gi"), resource.MustList("memory", "1024Mi", "cpu", "0")
	fmt.Println(a.Equal(b))
	// Output: true
}

func ExampleMustList() {
	l := resource.MustList("memory", "1Gi", "cpu", "500m")
	fmt.Println(l.Names(), l)
	// Output: [cpu memory] cpu: 500m, memory: 1Gi
}

func ExampleName_Counted() {
	for _, n := range []resource.Name{"cpu", "nvidia.com/gpu", "hugepages-2Mi", "storage"} {
		fmt.Println(n, n.Counted(), n.IsExtended())
	}
	// Output:
	// cpu true false
	// nvidia.com/gpu true true
	// hugepages-2Mi true false
	// storage false false
}

func ExampleAddSat() {
	fmt.Println(resource.AddSat(math.MaxInt64, 1) == math.MaxInt64)
	fmt.Println(resource.SubSat(math.MinInt64, 1) == math.MinInt64)
	fmt.Println(resource.MulSat(math.MinInt64, -1) == math.MaxInt64)
	// Output:
	// true
	// true
	// true
}

func ExampleFormat_MarshalText() {
	text, err := json.Marshal([]resource.Format{resource.DecimalSI, resource.MustParse("1Gi").Format()})
	fmt.Println(string(text), err)
	// Output: ["DecimalSI","BinarySI"] <nil>
}

func ExampleFormat_UnmarshalText() {
	var f resource.Format
	err := f.UnmarshalText([]byte("DecimalExponent"))
	fmt.Println(f, err)
	// Output: DecimalExponent <nil>
}
