// Package input turns what people have in files into what the library reads: folders into
// files, gzip into text, YAML into JSON, several files into one stream, and the objects
// that make pods into the pods that they would make.
package input
