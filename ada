{
 "kind": "greenroom shortcuts",
 "keys": {}
}
