module github.com/outrank-go/outrank/examples/study

go 1.26.0

replace github.com/outrank-go/outrank => ../..

require (
	github.com/DataDog/sketches-go v1.4.8
	github.com/apache/beam/sdks/v2 v2.77.0
	github.com/outrank-go/outrank v0.0.0-00010101000000-000000000000
	sigs.k8s.io/yaml v1.6.0
)

require (
	go.yaml.in/yaml/v2 v2.4.2 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
