package kube

import (
	"slices"

	"github.com/outrank-go/outrank/internal/manifest"
)

// mostRequired is the largest number of required drivers in an input. Without a bound the lists of missing drivers, one
// for each node, could take more memory than the input.
const mostRequired = 100

// driverSet is a set of indexes into the list of required drivers.
type driverSet [(mostRequired + 63) / 64]uint64

// add adds the driver of index i.
func (s *driverSet) add(i int) { s[i/64] |= 1 << (i % 64) }

// has reports whether the driver of index i is in the set.
func (s *driverSet) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

// requiredDrivers lists the drivers that every node must have, sorted. It is empty if the input has no
// CSINode, because then it is not known which node has which driver.
func (rd *reader) requiredDrivers() []string {
	s := &rd.storage
	var names []string
	for name, required := range s.required {
		if required && len(s.drivers) > 0 {
			names = append(names, name)
		}
	}

	slices.Sort(names)
	if len(names) > mostRequired {
		rd.problem("csidriver "+names[mostRequired], "spec.preventPodSchedulingIfMissing",
			"there are %d such drivers, and %d are the most", len(names), mostRequired)
		return nil
	}
	return names
}

// missingDrivers returns a function that lists the required drivers that a node lacks, sorted. Nodes that have the same
// required drivers share a list.
func (rd *reader) missingDrivers() func(node string) []string {
	required := rd.requiredDrivers()
	if len(required) == 0 {
		return func(string) []string { return nil }
	}

	// lists has one list for each set of drivers that some node has. With thousands of nodes there are few of them.
	lists := map[driverSet][]string{}
	return func(node string) []string {
		var there driverSet
		for _, driver := range rd.storage.drivers[node] {
			if i, ok := slices.BinarySearch(required, driver); ok {
				there.add(i)
			}
		}

		list, known := lists[there]
		if !known {
			for i, driver := range required {
				if !there.has(i) {
					list = append(list, driver)
				}
			}
			list = slices.Clip(list)
			lists[there] = list
		}
		return list
	}
}

// csiNode reads a CSINode, and stores its drivers and their limits.
func (rd *reader) csiNode(it manifest.Item) {
	var w manifest.CSINode
	cv := rd.decode(it, objectKind{"csinode", false}, &w, &w.Metadata)
	onlyOne(&cv, rd.storage.limits, w.Metadata.Name)
	rd.keep(cv.problems...)

	var limits map[string]int64
	listed := []string{}
	for _, d := range w.Spec.Drivers {
		listed = append(listed, cv.text(d.Name))
		if d.Allocatable.Count == nil {
			continue
		}
		if limits == nil {
			limits = map[string]int64{}
		}
		limits[cv.text(d.Name)] = int64(*d.Allocatable.Count)
	}
	rd.storage.limits[w.Metadata.Name] = limits
	rd.storage.drivers[w.Metadata.Name] = listed
}

// csiDriver reads a CSIDriver, and stores whether every node must have it.
func (rd *reader) csiDriver(it manifest.Item) {
	var w manifest.DriverObject
	cv := rd.decode(it, objectKind{"csidriver", false}, &w, &w.Metadata)
	onlyOne(&cv, rd.storage.required, w.Metadata.Name)
	rd.keep(cv.problems...)
	rd.storage.required[cv.text(w.Metadata.Name)] = w.Spec.PreventIfMissing
	rd.storage.counted[cv.text(w.Metadata.Name)] = w.Spec.StorageCapacity
}
