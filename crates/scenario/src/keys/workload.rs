use super::key::key;
use super::{Key, Type};

const COLLECTIVES: &str = "all-reduce reduce-scatter all-gather broadcast reduce all-to-all send-recv";
const MODELS: &str = "moe training-step";

pub(super) const KEYS: &[Key] = &[
    key("workload", Type::Map, "What runs.").required().short("kind"),
    key("workload", Type::List, "A list of jobs.").later(),
    key("workload.kind", Type::Word, "A collective, or flows.")
        .required()
        .words("all-reduce reduce-scatter all-gather broadcast reduce all-to-all send-recv flows !barrier !moe !training-step !trace"),
    key("workload.name", Type::Name, "Name of the job.").default("job"),
    key("workload.hosts", Type::Text, "Hosts of the job, such as h0-h63.").inherits("all").later(),
    key("workload.placement", Type::Word, "Order of the ranks on the hosts.").default("contiguous").words("contiguous !random"),
    key("workload.start", Type::Time, "When it begins.").default("0s"),
    key("workload.start_jitter", Type::Time, "Random shift of each start.").default("0s").later(),
    key("workload.algorithm", Type::Word, "Algorithm; `auto` takes the ring.")
        .of("all-reduce")
        .default("auto")
        .words("auto ring !tree !double-binary-tree !halving-doubling !hierarchical !nvls !nvls-tree !sharp"),
    key("workload.algorithm", Type::Word, "Algorithm; `auto` takes the ring.")
        .of("reduce-scatter all-gather broadcast reduce")
        .default("auto")
        .words("auto ring !tree !nvls !sharp"),
    key("workload.algorithm", Type::Word, "Algorithm; `auto` takes the pairwise exchange.")
        .of("all-to-all")
        .default("auto")
        .words("auto pairwise"),
    key("workload.size", Type::Bytes, "Size, as nccl-tests counts it.").of(COLLECTIVES).required().least("1B"),
    key("workload.channels", Type::Count, "Parallel rings.").of(COLLECTIVES).inherits("one a NIC of a host").least("1").most("1024"),
    key("workload.slice", Type::Bytes, "Bytes of one message of a ring; two slices make a chunk, as in NCCL.")
        .of(COLLECTIVES)
        .inherits("no slices: one message a step")
        .least("1B"),
    key("workload.root", Type::Count, "Rank that has or gets the data.").of("broadcast reduce").default("0"),
    key("workload.compute", Type::Time, "Compute phase before each step.").of(COLLECTIVES).default("0s"),
    key("workload.flows", Type::List, "The flows, one by one.").of("flows"),
    key("workload.flows[]", Type::Map, "One flow."),
    key("workload.flows[].name", Type::Name, "Its name.").inherits("f and its index from 0"),
    key("workload.flows[].src", Type::Name, "Host that sends; `h3.nic2` names a port.").required(),
    key("workload.flows[].dst", Type::Name, "Host that receives.").required(),
    key("workload.flows[].size", Type::Bytes, "Payload; `unlimited` sends until `stop` or `run.until`.").required().words("unlimited").least("1B"),
    key("workload.flows[].start", Type::Time, "When it begins.").default("0s"),
    key("workload.flows[].stop", Type::Time, "When it stops sending.").inherits("when all is sent").least("1ps"),
    key("workload.flows[].rate", Type::Rate, "Wire rate offered.").inherits("line rate"),
    key("workload.flows[].arrival", Type::Word, "Spacing of packets at `rate`.").default("constant").words("constant poisson"),
    key("workload.flows[].class", Type::Count, "Class (priority or virtual lane).").default("3").later(),
    key("workload.flows[].qps", Type::Count, "Connections it is spread over.").default("1").later(),
    key("workload.flows[].ttl", Type::Count, "Hops after which a packet is dropped.").inherits("no limit").later(),
    key("workload.flows[].path", Type::List, "Every node from source to destination.").inherits("`fabric.routing`"),
    key("workload.flows[].path[]", Type::Name, "A node."),
    key("workload.pattern", Type::Word, "Flows made by a rule, instead of `flows`.")
        .of("flows")
        .words("permutation incast all-to-all shift !uniform !poisson")
        .instead_of("flows"),
    key("workload.size", Type::Bytes, "Payload of each flow of a pattern.").of("flows").words("unlimited").least("1B"),
    key("workload.rate", Type::Rate, "Wire rate of each flow of a pattern.").of("flows").inherits("line rate"),
    key("workload.arrival", Type::Word, "Spacing of packets at `rate`.").of("flows").default("constant").words("constant poisson"),
    key("workload.stop", Type::Time, "When the flows of a pattern stop sending.").of("flows").least("1ps"),
    key("workload.shift", Type::Count, "Pattern shift: to the host this many further on.").of("flows").inherits("half of the hosts").least("1"),
    key("workload.fan_in", Type::Count, "Pattern incast: senders.").of("flows").inherits("all other hosts").least("1"),
    key("workload.dst", Type::Name, "Pattern incast: the receiver.").of("flows").inherits("the first host"),
    key("workload.load", Type::Fraction, "Pattern poisson: load of a host.").of("flows").later(),
    key("workload.sizes", Type::Text, "Pattern poisson: distribution of sizes.").of("flows").later(),
    key("workload.file", Type::Text, "File of flows.").of("flows").later(),
    key("workload.format", Type::Word, "Format of the file.").of("flows").words("!hpcc"),
    key("workload.tokens", Type::Count, "Tokens of a rank.").of("moe"),
    key("workload.top_k", Type::Count, "Experts of a token.").of("moe"),
    key("workload.experts", Type::Count, "Experts in all.").of("moe"),
    key("workload.hidden", Type::Count, "Size of a token.").of("moe"),
    key("workload.skew", Type::Any, "Imbalance of experts.").of("moe"),
    key("workload.model", Type::Map, "The model.").of(MODELS),
    key("workload.model.parameters", Type::Count, "Parameters."),
    key("workload.model.layers", Type::Count, "Layers."),
    key("workload.model.hidden", Type::Count, "Hidden size."),
    key("workload.model.sequence", Type::Count, "Sequence length."),
    key("workload.model.micro_batch", Type::Count, "Sequences of a micro-batch."),
    key("workload.model.precision", Type::Word, "Number format.").words("bf16 fp16 fp8 fp32"),
    key("workload.parallel", Type::Map, "How the model is spread.").of(MODELS),
    key("workload.parallel.tp", Type::Count, "Tensor parallelism."),
    key("workload.parallel.pp", Type::Count, "Pipeline parallelism."),
    key("workload.parallel.dp", Type::Count, "Data parallelism."),
    key("workload.parallel.ep", Type::Count, "Expert parallelism."),
    key("workload.parallel.cp", Type::Count, "Context parallelism."),
    key("workload.parallel.zero", Type::Count, "ZeRO stage."),
    key("workload.format", Type::Word, "Format of the trace.").of("trace").words("!goal !chakra"),
    key("workload.path", Type::Text, "The trace.").of("trace"),
];
