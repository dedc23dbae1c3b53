// Package input turns files of people into input of the library: it expands folders into files, unpacks gzip,
// converts YAML to JSON, merges several files into one stream, and turns objects that make pods into the pods
// that they would make.
package input
